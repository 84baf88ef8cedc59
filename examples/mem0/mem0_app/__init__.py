"""The Mem0 library behind the HTTP contract."""
