"""What must never be again: the service's own deletions, by the rules of the policy engine.

A deletion is kept as a tombstone of the engine: of scope `record` for a memory and for the message
that it came from, of scope `key` for a thread, so that what began after it is let through. Each
thing has a session of its own in the engine, so that asking for one costs the same with many.
"""

from datetime import UTC, datetime, timedelta

from memtru_ci.policy.query import Query
from memtru_ci.policy.store import PolicyStore
from memtru_ci.reference.store import Ledger

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AT_ONCE = "thing"
_SESSION = "deletions"


def lay_tombstone(ledger: Ledger, namespace: str, kind: str, key: str) -> None:
    """Forbid one thing; `kind` is `memory`, `message` or `thread`."""
    moment = ledger.count_up("moment")
    ledger.run(
        "INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?)", namespace, kind, key, moment
    )


def is_buried(ledger: Ledger, namespace: str, kind: str, key: str, since: int = 0) -> bool:
    """Whether the engine holds a thing that began at the moment `since` to be deleted."""
    laid = ledger.rows(
        "SELECT moment FROM tombstones WHERE namespace = ? AND kind = ? AND key = ?",
        namespace,
        kind,
        key,
    )
    return bool(laid) and _is_deleted(kind, since, [row["moment"] for row in laid])


def _is_deleted(kind: str, since: int, laid: list[int]) -> bool:
    store = PolicyStore()
    store.add_all([_thing(since), *(_tombstone(kind, moment) for moment in laid)])
    return not store.query(Query(session=_SESSION, at=_EPOCH + timedelta(days=36500))).ids


def _thing(since: int) -> dict[str, object]:
    return {**_event("assertion", _AT_ONCE, since), "key": _AT_ONCE, "value": ""}


def _tombstone(kind: str, moment: int) -> dict[str, object]:
    scope = {"scope": "key", "key": _AT_ONCE} if kind == "thread" else {"scope": "record"}
    return {**_event("tombstone", f"deletion {moment}", moment), "target": _AT_ONCE, **scope}


def _event(kind: str, name: str, moment: int) -> dict[str, object]:
    recorded_at = (_EPOCH + timedelta(microseconds=moment)).isoformat()
    return {
        "id": name,
        "kind": kind,
        "session": _SESSION,
        "source": "memtru-reference",
        "recorded_at": recorded_at,
    }
