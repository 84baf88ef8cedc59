"""Answers: what a query returns, and why everything else is not in it (rule 12)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memtru_ci.policy import instants

DELETED = "deleted"
CORRECTED = "corrected"
UNKNOWN_YET = "unknown_yet"
NOT_YET_VALID = "not_yet_valid"
EXPIRED = "expired"
PENDING_TARGET = "pending_target"
CONFLICT_LOST = "conflict_lost"
NOT_RANKED = "not_ranked"

REASONS = (
    DELETED,
    CORRECTED,
    UNKNOWN_YET,
    NOT_YET_VALID,
    EXPIRED,
    PENDING_TARGET,
    CONFLICT_LOST,
    NOT_RANKED,
)
"""By precedence: where several hold, the first is the reason."""


@dataclass(frozen=True, slots=True)
class Result:
    """A fact that is returned, and where it comes from.

    `corrects` is the chain of corrections from the fact's target to the first one, as ids;
    `score` is the cosine with the query's text, None without a text.
    """

    id: str
    kind: str
    key: str
    value: str
    source: str
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    corrects: tuple[str, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Facts that held at the same time under one key; the losers by id."""

    key: str
    winner: str
    losers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why an id is not returned. `by` is the tombstone, the correction or the winner."""

    id: str
    reason: str
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Selected ids, best first, with everything that explains them."""

    ids: tuple[str, ...]
    results: tuple[Result, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()


def to_json(answer: Answer) -> dict[str, object]:
    """The answer as the HTTP contract has it."""
    return {
        "ids": list(answer.ids),
        "results": [_result(one) for one in answer.results],
        "conflicts": [
            {"key": one.key, "winner": one.winner, "losers": list(one.losers)}
            for one in answer.conflicts
        ],
        "exclusions": list(_exclusions(answer.exclusions)),
    }


def _result(result: Result) -> dict[str, object]:
    valid_to = result.valid_to
    return {
        "id": result.id,
        "kind": result.kind,
        "key": result.key,
        "value": result.value,
        "source": result.source,
        "recorded_at": instants.text_of(result.recorded_at),
        "valid_from": instants.text_of(result.valid_from),
        "valid_to": None if valid_to is None else instants.text_of(valid_to),
        "corrects": list(result.corrects),
        "score": result.score,
    }


def _exclusions(exclusions: Iterable[Exclusion]) -> Iterable[dict[str, object]]:
    for one in exclusions:
        by = {} if one.by is None else {"by": one.by}
        yield {"id": one.id, "reason": one.reason, **by}
