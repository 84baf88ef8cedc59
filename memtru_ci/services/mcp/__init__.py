"""Speaks to a memory service over the Model Context Protocol; the only home of its SDK."""
