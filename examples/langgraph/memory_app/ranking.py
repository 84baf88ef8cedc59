"""Ranks memories by the words that they share with a query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from langgraph.store.base import Item


def words(text: str) -> set[str]:
    """The words of a text in a form in which they can be compared."""
    return set(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def ranked(query: str, items: Iterable[Item]) -> list[tuple[float, Item]]:
    """Items with a word of the query, and their score (0 to 1), best first, else in their order."""
    wanted = words(query)
    scored = [(overlap(wanted, item), item) for item in items]
    return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])


def overlap(wanted: set[str], item: Item) -> float:
    """The share of the wanted words that an item's content has."""
    return len(wanted & words(item.value["content"])) / len(wanted) if wanted else 0.0
