"""Deleting all that a namespace holds, so that nothing of it can ever come back."""

from memtru_ci.adapters import HookReceipt
from memtru_ci.reference.memories import lay_tombstones
from memtru_ci.reference.schema import SCOPED
from memtru_ci.reference.store import Ledger


def delete_namespace(ledger: Ledger, namespace: str) -> HookReceipt:
    """Bury every memory, then empty every table of the namespace. It can be used again."""
    rows = ledger.rows("SELECT * FROM records WHERE namespace = ?", namespace)
    for row in rows:
        lay_tombstones(ledger, namespace, row)
    for table in SCOPED:
        ledger.run(f"DELETE FROM {table} WHERE namespace = ?", namespace)
    return HookReceipt(executed=True, detail=f"{len(rows)} memories deleted", processed=len(rows))
