"""Memories of users that LangMem's tools write, in LangGraph's SQLite store."""
