"""Held writes: accepted, stored, and not applied before they are released."""

import sqlite3
from collections.abc import Callable
from typing import TypeAlias

from memtru_ci.adapters import Context, CreatedRecord, HookReceipt, NoSuchRecord, RecordKind
from memtru_ci.reference.memories import insert, update
from memtru_ci.reference.store import Ledger
from memtru_ci.reference.tombstones import is_buried

HeldWrite: TypeAlias = sqlite3.Row
"""A row of `pending`."""

Refused: TypeAlias = Callable[[Ledger, HeldWrite], bool]
"""What happens to a held write that the service should refuse; whether it was applied."""


def hold(ledger: Ledger, ctx: Context, content: str, target_id: str | None) -> HookReceipt:
    """Start a write and hold it."""
    number = ledger.added(
        "INSERT INTO pending (namespace, thread_id, target_id, content, began) "
        "VALUES (?, ?, ?, ?, ?)",
        ctx.namespace,
        ctx.thread_id,
        target_id,
        content,
        ledger.count_up("moment"),
    )
    held = CreatedRecord(kind=RecordKind.PENDING_WRITE, id=f"pend_{number:06d}")
    return HookReceipt(executed=True, detail="1 write held", created=(held,))


def release(ledger: Ledger, namespace: str, refused: Refused) -> HookReceipt:
    """Let every held write of a namespace complete, each by the ordinary path.

    A write that is refused is dealt with, and counts as processed.
    """
    writes = taken(ledger, namespace)
    created: list[str] = []
    refusals = 0
    for write in writes:
        try:
            created += complete(ledger, write)
        except NoSuchRecord:
            refusals += not refused(ledger, write)
    return HookReceipt(
        executed=True,
        detail=f"{len(writes) - refusals} held write(s) applied, {refusals} refused",
        created=tuple(CreatedRecord(kind=RecordKind.MEMORY, id=one) for one in created),
        processed=len(writes),
    )


def taken(ledger: Ledger, namespace: str) -> list[HeldWrite]:
    """The held writes of a namespace, in order; they are held no longer."""
    writes = ledger.rows("SELECT * FROM pending WHERE namespace = ? ORDER BY seq", namespace)
    ledger.run("DELETE FROM pending WHERE namespace = ?", namespace)
    return writes


def complete(ledger: Ledger, write: HeldWrite) -> list[str]:
    """Apply one write; returns the id of a memory that it made, if it made one.

    Raises `NoSuchRecord` where its memory, or its thread since the write began, was deleted.
    """
    namespace, thread_id = write["namespace"], write["thread_id"]
    if write["target_id"] is not None:
        update(ledger, namespace, write["target_id"], write["content"])
        return []
    if thread_id and is_buried(ledger, namespace, "thread", thread_id, write["began"]):
        raise NoSuchRecord(f"thread {thread_id} was deleted")
    return [insert(ledger, namespace, write["content"], thread_id=thread_id)]


def ignore(ledger: Ledger, write: HeldWrite) -> bool:
    """A refused write leaves nothing behind."""
    return False
