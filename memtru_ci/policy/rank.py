"""Ranking: TF-IDF cosine over the winners only (rule 11)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import fsum, log, sqrt

from memtru_ci.policy.words import words

DIGITS = 9
"""Scores are compared and shown rounded, so that no order hangs on the last bit of a float."""

Counts = Mapping[str, int]


def rank(texts: Mapping[str, str], text: str) -> list[tuple[str, float]]:
    """Ids of the texts that share a word with `text`, best first, each with its cosine."""
    counted = {one: Counter(words(held)) for one, held in texts.items()}
    weights = inverse_frequencies(counted.values())
    wanted = Counter(word for word in words(text) if word in weights)
    scored = [
        (one, round(cosine(wanted, counts, weights), DIGITS))
        for one, counts in counted.items()
        if not wanted.keys().isdisjoint(counts)
    ]
    return sorted(scored, key=place)


def place(scored: tuple[str, float]) -> tuple[float, str]:
    """The higher cosine first; ties go to the lower id."""
    return -scored[1], scored[0]


def inverse_frequencies(documents: Iterable[Counts]) -> dict[str, float]:
    """The weight of each word: the rarer, the heavier, and never zero."""
    held = list(documents)
    frequency = Counter(word for counts in held for word in counts)
    return {word: log((1 + len(held)) / (1 + seen)) + 1 for word, seen in frequency.items()}


def cosine(wanted: Counts, counts: Counts, weights: Mapping[str, float]) -> float:
    """The cosine of two texts as vectors of weighted counts."""
    shared = wanted.keys() & counts.keys()
    product = fsum(wanted[word] * counts[word] * weights[word] ** 2 for word in shared)
    return product / (_length(wanted, weights) * _length(counts, weights))


def _length(counts: Counts, weights: Mapping[str, float]) -> float:
    return sqrt(fsum((count * weights[word]) ** 2 for word, count in counts.items()))
