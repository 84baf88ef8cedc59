"""Queries: of which session, at which valid time, knowing what, about which text."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memtru_ci.policy import fields, instants
from memtru_ci.policy.fields import FieldRejected


class QueryRejected(ValueError):
    """A query that cannot be asked; `reason` is `code` or `code: detail`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked.

    `at` is the valid time. `known_at` None means all that is known. `text` None asks for all
    winners, any other text for those that share a word with it. `limit` None means no limit.
    Raises `QueryRejected` for an instant without an offset and for a negative limit.
    """

    session: str
    at: datetime
    known_at: datetime | None = None
    text: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "at", instants.of(self.at))
            if self.known_at is not None:
                object.__setattr__(self, "known_at", instants.of(self.known_at))
        except instants.InstantRejected as rejected:
            raise QueryRejected(rejected.code) from None
        if self.limit is not None and self.limit < 0:
            raise QueryRejected("bad_limit: limit is not negative")


def parse(raw: object) -> Query:
    """A query from JSON: `session`, `at`, `known_at`?, `query`? and `limit`?.

    Raises `QueryRejected`.
    """
    try:
        return _parse(raw)
    except FieldRejected as rejected:
        raise QueryRejected(rejected.reason) from None


def to_json(query: Query) -> dict[str, object]:
    """The query as JSON that `parse` reads back."""
    return {
        "session": query.session,
        "at": instants.text_of(query.at),
        "known_at": None if query.known_at is None else instants.text_of(query.known_at),
        "query": query.text,
        "limit": query.limit,
    }


def _parse(raw: object) -> Query:
    if not isinstance(raw, Mapping):
        raise FieldRejected("not_an_object", "a query is a JSON object")
    limit = raw.get("limit")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
        raise FieldRejected("bad_type", "limit is a whole number")
    return Query(
        session=fields.name(raw, "session"),
        at=fields.instant(raw, "at"),
        known_at=fields.optional_instant(raw, "known_at"),
        text=None if raw.get("query") is None else fields.value(raw, "query"),
        limit=limit,
    )
