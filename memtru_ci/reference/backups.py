"""Backups of a namespace, and a restore that tombstones win over."""

import json
from collections.abc import Callable

from memtru_ci.adapters import BackupReceipt, CreatedRecord, HookReceipt, RecordKind
from memtru_ci.reference.memories import put
from memtru_ci.reference.store import Ledger
from memtru_ci.reference.tombstones import is_buried


def back_up(ledger: Ledger, namespace: str) -> BackupReceipt:
    """Keep a copy of the memories of a namespace."""
    rows = ledger.rows("SELECT * FROM records WHERE namespace = ? ORDER BY seq", namespace)
    copy = json.dumps([dict(row) for row in rows])
    number = ledger.added("INSERT INTO backups (namespace, records) VALUES (?, ?)", namespace, copy)
    return BackupReceipt(
        executed=True,
        detail=f"{len(rows)} memories backed up",
        processed=len(rows),
        backup_id=f"bak_{number:06d}",
    )


def restore(
    ledger: Ledger, namespace: str, backup_id: str, may_return: Callable[[Ledger, str, str], bool]
) -> HookReceipt:
    """Write back the memories of a backup that may return."""
    digits = backup_id.removeprefix("bak_")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0
    found = ledger.rows(
        "SELECT records FROM backups WHERE namespace = ? AND seq = ?", namespace, number
    )
    if not found:
        return HookReceipt(executed=False, detail="there is no such backup in this namespace")
    return _written_back(ledger, namespace, json.loads(found[0]["records"]), may_return)


def _written_back(
    ledger: Ledger,
    namespace: str,
    copies: list[dict[str, str]],
    may_return: Callable[[Ledger, str, str], bool],
) -> HookReceipt:
    allowed = [one for one in copies if may_return(ledger, namespace, one["id"])]
    created = []
    for one in allowed:
        if not ledger.has("SELECT 1 FROM records WHERE id = ?", one["id"]):
            created.append(CreatedRecord(kind=RecordKind.MEMORY, id=one["id"]))
        metadata = json.loads(one["metadata"]) if one["metadata"] else None
        put(ledger, namespace, one["id"], one["content"], one["thread_id"], metadata, one["source"])
    return HookReceipt(
        executed=True,
        detail=f"{len(allowed)} memories restored, {len(copies) - len(allowed)} stay deleted",
        created=tuple(created),
        processed=len(copies),
    )


def is_not_deleted(ledger: Ledger, namespace: str, memory_id: str) -> bool:
    """A tombstone is newer than any backup."""
    return not is_buried(ledger, namespace, "memory", memory_id)
