"""How a memory service is spoken to; the only home of httpx."""
