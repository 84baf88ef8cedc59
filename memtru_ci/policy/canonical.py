"""Canonical JSON: one text for one content, and its SHA-256."""

import json
from hashlib import sha256


def text_of(content: object) -> str:
    """Sorted keys, no spaces, ASCII. Raises `ValueError` for what is no JSON."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of(content: object) -> str:
    """The SHA-256 of the canonical text, in hex. It proves no origin: anyone can make it."""
    return sha256(text_of(content).encode()).hexdigest()


def readable(content: object) -> str:
    """The same content for a file that people read too."""
    return json.dumps(content, sort_keys=True, indent=1, allow_nan=False) + "\n"
