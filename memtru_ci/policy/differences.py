"""What differs between two JSON documents, each difference with its place."""

import json
from collections.abc import Iterator
from itertools import zip_longest

MOST = 20
"""Differences that are told one by one."""

LONGEST = 120
"""Characters of a value that are shown."""


class _Missing:
    """Stands for what one side does not have."""


_MISSING = _Missing()


def differences(stored: object, recomputed: object, place: str = "") -> list[str]:
    """Lines such as `answer.ids[0]: "a" is stored, "b" follows`; at most `MOST` and a count."""
    found = list(_walk(stored, recomputed, place))
    left = len(found) - MOST
    return found[:MOST] + ([f"{left} more differences"] if left > 0 else [])


def _walk(stored: object, recomputed: object, place: str) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(recomputed, dict):
        for key in sorted({*stored, *recomputed}, key=str):
            inner = f"{place}.{key}" if place else str(key)
            yield from _walk(stored.get(key, _MISSING), recomputed.get(key, _MISSING), inner)
    elif isinstance(stored, list) and isinstance(recomputed, list):
        pairs = zip_longest(stored, recomputed, fillvalue=_MISSING)
        for index, (one, other) in enumerate(pairs):
            yield from _walk(one, other, f"{place}[{index}]")
    elif type(stored) is not type(recomputed) or stored != recomputed:
        yield f"{place or 'the document'}: {_shown(stored)} is stored, {_shown(recomputed)} follows"


def _shown(value: object) -> str:
    if isinstance(value, _Missing):
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
