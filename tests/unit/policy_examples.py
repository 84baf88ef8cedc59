"""Policy events and queries that several tests use."""

from typing import Any

from memtru_ci.policy import query
from memtru_ci.policy.answer import Answer
from memtru_ci.policy.store import PolicyStore


def at(hour: float) -> str:
    """An instant of one day."""
    whole = int(hour)
    return f"2026-01-01T{whole:02d}:{round((hour - whole) * 60):02d}:00Z"


def assertion(name: str, hour: float = 1, **fields: Any) -> dict[str, Any]:
    return _event("assertion", name, hour, {"key": "city", "value": f"value of {name}"} | fields)


def correction(name: str, target: str, hour: float = 2, **fields: Any) -> dict[str, Any]:
    return _event(
        "correction", name, hour, {"target": target, "value": f"value of {name}"} | fields
    )


def tombstone(name: str, hour: float = 3, **fields: Any) -> dict[str, Any]:
    return _event("tombstone", name, hour, {"scope": "record"} | fields)


def ask(store: PolicyStore, hour: float = 9, session: str = "s1", **asked: Any) -> Answer:
    return store.query(query.parse({"session": session, "at": at(hour)} | asked))


def store_of(*events: dict[str, Any]) -> PolicyStore:
    store = PolicyStore()
    assert store.add_all(events) == []
    return store


def _event(kind: str, name: str, hour: float, fields: dict[str, Any]) -> dict[str, Any]:
    base = {"id": name, "kind": kind, "session": "s1", "source": "test", "recorded_at": at(hour)}
    return base | fields
