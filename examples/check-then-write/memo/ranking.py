"""How close a memo is to a question, with vectors and without."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence


def closeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors; 0 where one has no length, or their dimensions differ."""
    lengths = math.hypot(*one) * math.hypot(*other)
    if not lengths or len(one) != len(other):
        return 0.0
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths


def words_in_common(question: str, text: str) -> float:
    """The share of the question's words that the text has, too."""
    wanted = _words(question)
    return len(wanted & _words(text)) / len(wanted) if wanted else 0.0


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
