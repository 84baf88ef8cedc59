"""Memories: what is remembered."""

import json
import sqlite3
from typing import Any

from memtru_ci.adapters import FoundMemory, ListAnswer, NoSuchRecord, RecordGone, RefusedRequest
from memtru_ci.reference.profile import rebuild
from memtru_ci.reference.store import Ledger
from memtru_ci.reference.text import relevance, words
from memtru_ci.reference.tombstones import is_buried, lay_tombstone


def insert(
    ledger: Ledger,
    namespace: str,
    content: str,
    *,
    thread_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    source: str | None = None,
) -> str:
    """Remember something new. `source` names the message it was derived from."""
    memory_id = f"mem_{ledger.count_up('memory'):06d}"
    put(ledger, namespace, memory_id, content, thread_id, metadata, source)
    return memory_id


def put(
    ledger: Ledger,
    namespace: str,
    memory_id: str,
    content: str,
    thread_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    source: str | None = None,
) -> None:
    """Write a record whether or not it exists, asking no tombstone: callers must have asked."""
    ledger.run(
        "INSERT INTO records (id, namespace, thread_id, content, metadata, source) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content",
        memory_id,
        namespace,
        thread_id,
        content,
        None if metadata is None else json.dumps(metadata),
        source,
    )
    rebuild(ledger, namespace)


def update(ledger: Ledger, namespace: str, memory_id: str, content: str) -> None:
    """Give a living memory another text.

    Raises `RecordGone` where it was deleted, and `NoSuchRecord` where there never was one.
    """
    if is_buried(ledger, namespace, "memory", memory_id):
        raise RecordGone(f"memory {memory_id} was deleted")
    record(ledger, namespace, memory_id)
    ledger.run("UPDATE records SET content = ? WHERE id = ?", content, memory_id)
    rebuild(ledger, namespace)


def record(ledger: Ledger, namespace: str, memory_id: str) -> sqlite3.Row:
    """The row of a memory. Raises `NoSuchRecord`."""
    found = ledger.rows(
        "SELECT * FROM records WHERE namespace = ? AND id = ?", namespace, memory_id
    )
    if not found:
        raise NoSuchRecord(f"there is no memory {memory_id} in this namespace")
    return found[0]


def bury(ledger: Ledger, namespace: str, row: sqlite3.Row) -> None:
    """Leave tombstones for a memory and for the message it came from, then remove it."""
    lay_tombstones(ledger, namespace, row)
    remove(ledger, namespace, row["id"])


def lay_tombstones(ledger: Ledger, namespace: str, row: sqlite3.Row) -> None:
    """Forbid a memory, and its derivation from the same message, from now on."""
    lay_tombstone(ledger, namespace, "memory", row["id"])
    if row["source"] is not None:
        lay_tombstone(ledger, namespace, "message", row["source"])


def remove(ledger: Ledger, namespace: str, memory_id: str) -> None:
    """Take a record away."""
    ledger.run("DELETE FROM records WHERE namespace = ? AND id = ?", namespace, memory_id)
    rebuild(ledger, namespace)


def search(ledger: Ledger, namespace: str, query: str, limit: int) -> list[FoundMemory]:
    """The memories that share words with the query: best first, among equals the newest."""
    wanted = words(query)
    rows = ledger.rows("SELECT * FROM records WHERE namespace = ? ORDER BY seq DESC", namespace)
    scored = [(relevance(wanted, row["content"]), row) for row in rows]
    best = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])
    return [_found(row, score) for score, row in best[:limit]]


def page(ledger: Ledger, namespace: str, limit: int, cursor: str | None) -> ListAnswer:
    """Up to `limit` memories, oldest first, and where the next page begins."""
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise RefusedRequest("the cursor was not given by this service")
    rows = ledger.rows(
        "SELECT * FROM records WHERE namespace = ? AND seq > ? ORDER BY seq LIMIT ?",
        namespace,
        int(cursor or 0),
        limit + 1,
    )
    shown = rows[:limit]
    more = str(shown[-1]["seq"]) if len(rows) > limit else None
    return ListAnswer(results=tuple(_found(row) for row in shown), next_cursor=more)


def _found(row: sqlite3.Row, score: float | None = None) -> FoundMemory:
    metadata = None if row["metadata"] is None else json.loads(row["metadata"])
    return FoundMemory(id=row["id"], content=row["content"], score=score, metadata=metadata)
