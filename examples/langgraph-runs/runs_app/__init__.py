"""Conversations with a model, each a LangGraph thread that is kept in SQLite."""
