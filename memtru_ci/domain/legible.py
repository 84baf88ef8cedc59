"""Makes text that came from a target fit for one line of a message."""

import unicodedata
from collections.abc import Sequence

MOST_LISTED = 16
"""A sentence with more names in it is not read."""


def legible(text: str, limit: int = 300) -> str:
    """At most `limit` characters of `text`, with everything that is not visible as `\\uXXXX`.

    Control and format characters, line separators and lone surrogates count as not visible.
    """
    shown = "".join(char if _is_visible(char) else f"\\u{ord(char):04x}" for char in text[:limit])
    return shown if len(text) <= limit else f"{shown}…"


def listed(names: Sequence[str]) -> str:
    """Names for the middle of a sentence: each legible and short, and how many more there are."""
    shown = ", ".join(legible(name, 64) for name in names[:MOST_LISTED])
    more = len(names) - MOST_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _is_visible(char: str) -> bool:
    category = unicodedata.category(char)
    return category == "Zs" or category[0] not in "CZ"
