"""Explaining an answer to a reader: what is returned from where, and why nothing else is."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

SHOWN = 200
"""Characters of a value and of a source that are shown."""

MEANINGS = {
    "deleted": "deleted by tombstone {by}",
    "corrected": "corrected by {by}",
    "unknown_yet": "recorded after known_at",
    "not_yet_valid": "its validity begins later",
    "expired": "its validity has ended",
    "pending_target": "a correction of something unknown, without a key",
    "conflict_lost": "lost its key to {by}",
    "not_ranked": "shares no word with the query, or is beyond the limit",
}
"""Each reason in words."""


def lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The JSON of an answer as lines of text."""
    yield f"selected: {', '.join(answer['ids']) or 'nothing'}"
    for result in answer["results"]:
        yield from _result(result)
    for one in answer["conflicts"]:
        yield f"conflict on {one['key']}: {one['winner']} wins over {', '.join(one['losers'])}"
    for one in answer["exclusions"]:
        meaning = MEANINGS[one["reason"]].format(by=one.get("by"))
        yield f"not selected: {one['id']}: {one['reason']} ({meaning})"


def _result(result: Mapping[str, Any]) -> Iterable[str]:
    score = "" if result["score"] is None else f", score {result['score']:.3f}"
    yield f"  {result['id']}: {result['key']} = {_shown(result['value'])}{score}"
    yield (
        f"    {result['kind']} from {_shown(result['source'])}, recorded {result['recorded_at']}, "
        f"valid from {result['valid_from']} to {result['valid_to'] or 'no end'}"
    )
    if result["corrects"]:
        yield f"    corrects {', then '.join(result['corrects'])}"


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text) - SHOWN} more characters)"
