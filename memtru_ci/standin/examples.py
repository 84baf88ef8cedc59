"""Finds the JSON object that a prompt shows as the form of its answer."""

import json
import re

from memtru_ci.standin.body import JsonObject

_LONGEST_PROMPT = 200_000
_MOST_TRIES = 200
_OPENING = re.compile(r"\{")
_decoder = json.JSONDecoder(strict=False)


def last_example(prompt: str) -> JsonObject | None:
    """The last outermost JSON object in the prompt that has a key."""
    text = prompt[-_LONGEST_PROMPT:]
    found, end = None, 0
    for tried, opening in enumerate(_OPENING.finditer(text)):
        if tried == _MOST_TRIES:
            break
        if opening.start() < end:
            continue
        try:
            value, end = _decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        found = value or found
    return found
