"""Makes text that came from a target fit for one line of a message."""

import unicodedata


def legible(text: str, limit: int = 300) -> str:
    """At most `limit` characters of `text`, with everything that is not visible as `\\uXXXX`.

    Control and format characters, line separators and lone surrogates count as not visible.
    """
    shown = "".join(char if _is_visible(char) else f"\\u{ord(char):04x}" for char in text[:limit])
    return shown if len(text) <= limit else f"{shown}…"


def _is_visible(char: str) -> bool:
    category = unicodedata.category(char)
    return category == "Zs" or category[0] not in "CZ"
