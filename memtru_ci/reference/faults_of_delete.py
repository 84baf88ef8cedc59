"""Ways in which a delete is done wrong, or late; each takes the place of a rule."""

import sqlite3

from memtru_ci.adapters import Context, Deletion, HookReceipt
from memtru_ci.reference import due, memories, namespaces
from memtru_ci.reference.rules import Bury
from memtru_ci.reference.store import Ledger

RETURN_AFTER_S = 3.0
REMOVE_AFTER_S = 0.7


def keep(ledger: Ledger, namespace: str, row: sqlite3.Row) -> Deletion:
    """Do nothing, and call it done."""
    return Deletion.DONE


def keep_thread(ledger: Ledger, ctx: Context, bury_one: Bury) -> HookReceipt:
    """Do nothing, and call it done."""
    return HookReceipt(executed=True, detail="thread deleted")


def wipe_namespace(ledger: Ledger, namespace: str, row: sqlite3.Row) -> Deletion:
    """Delete far more than was asked."""
    namespaces.delete_namespace(ledger, namespace)
    return Deletion.DONE


def bury_for_three_seconds(ledger: Ledger, namespace: str, row: sqlite3.Row) -> Deletion:
    """Delete, and let it come back by itself."""
    memories.bury(ledger, namespace, row)
    due.schedule_return(ledger, namespace, row, RETURN_AFTER_S)
    return Deletion.DONE


def bury_later(ledger: Ledger, namespace: str, row: sqlite3.Row) -> Deletion:
    """Correct, only not at once: late writes are refused from now on, the text goes soon."""
    memories.lay_tombstones(ledger, namespace, row)
    due.schedule_removal(ledger, namespace, row["id"], REMOVE_AFTER_S)
    return Deletion.ACCEPTED
