"""A memory service on LangGraph: a StateGraph, a SQLite checkpointer and LangGraph's own store."""
