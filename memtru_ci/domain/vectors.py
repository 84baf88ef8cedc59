"""Turns a text into a vector without a model, so that texts with words in common are near."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from zlib import crc32

MOST_DIMENSIONS = 8192
LONGEST_TEXT = 20_000
"""Characters of a text that count; the rest is left aside."""

_WORD = re.compile(r"\w+")
_GRAM = 3
_OF_A_WORD = 2.0
_OF_A_GRAM = 1.0


def vector_of(text: str, dimensions: int) -> list[float]:
    """The vector of a text, of length 1: its words and their runs of three letters, hashed.

    The same text has the same vector in every process. Case, width and punctuation do not count.
    Raises `ValueError` where `dimensions` is not between 1 and `MOST_DIMENSIONS`.
    """
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise ValueError(f"a vector has 1 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
    vector = [0.0] * dimensions
    for weight, features in _features(text[:LONGEST_TEXT]):
        for feature, count in Counter(features).items():
            code = crc32(feature.encode("utf-8", "surrogatepass"))
            # The sign comes from a bit that has no part in the place of any allowed dimension.
            signed = weight if code >> 31 else -weight
            vector[(code & 0x7FFFFFFF) % dimensions] += signed * sqrt(count)
    return _normal(vector)


def cosine(one: Iterable[float], other: Iterable[float]) -> float:
    """How near two vectors of length 1 are: 1 for the same direction, 0 for nothing in common."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def _features(text: str) -> Iterator[tuple[float, Iterable[str]]]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    # A text without a letter still has a direction of its own.
    yield _OF_A_WORD, (words or [f"={text.strip()}"])
    yield _OF_A_GRAM, _grams(words)


def _grams(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        padded = f"^{word}$"
        for start in range(len(padded) - _GRAM + 1):
            yield padded[start : start + _GRAM]


def _normal(vector: list[float]) -> list[float]:
    length = sqrt(sum(value * value for value in vector))
    if not length:
        # Features of opposite sign have met in a few dimensions: no store takes a zero vector.
        return [1.0, *vector[1:]]
    return [value / length for value in vector]
