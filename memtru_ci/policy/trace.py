"""Traces: one query with everything that decided it, to be replayed by anyone (rule 13)."""

from collections.abc import Mapping
from typing import Any

from memtru_ci.policy import answer, log, query
from memtru_ci.policy.differences import differences
from memtru_ci.policy.query import Query, QueryRejected
from memtru_ci.policy.sealed import broken_seal, seal
from memtru_ci.policy.store import PolicyStore

FORMAT = "memtru-policy-trace/1"

FIELDS = ("format", "events", "query", "answer", "hashes", "content_hash")


def write(store: PolicyStore, asked: Query) -> dict[str, object]:
    """The trace of a query: the events of its session, the query, and the whole answer.

    It holds deleted payloads where the store does: a trace that leaves the house is made of an
    export.
    """
    events = log.written(store.events(asked.session))
    return seal(
        {
            "format": FORMAT,
            "events": events,
            "query": query.to_json(asked),
            "answer": answer.to_json(store.query(asked)),
        }
    )


def replay(document: Mapping[str, Any]) -> dict[str, object]:
    """The answer that follows from the events and the query of a trace.

    Raises `QueryRejected` where the query cannot be asked; rejected events are left out.
    """
    store, _ = log.read(document.get("events"))
    return answer.to_json(store.query(query.parse(document.get("query"))))


def verify(document: Mapping[str, Any]) -> list[str]:
    """What differs between a trace and what follows from it; empty where nothing does."""
    found = broken_seal(document)
    found += [f"{one}: missing" for one in FIELDS if one not in document]
    found += [f"{one}: does not belong to a trace" for one in document if one not in FIELDS]
    _, rejections = log.read(document.get("events"))
    found += [f"events[{one.index}]: {one.reason}" for one in rejections]
    try:
        return found + differences(document.get("answer"), replay(document), "answer")
    except QueryRejected as rejected:
        return [*found, f"query: {rejected.reason}"]
