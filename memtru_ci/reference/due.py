"""What happens by itself at a time of the clock: a memory goes at last, or comes back."""

import json
import sqlite3

from memtru_ci.reference.memories import put, remove
from memtru_ci.reference.store import Ledger


def schedule_removal(ledger: Ledger, namespace: str, memory_id: str, delay_s: float) -> None:
    """Let a memory go after a delay."""
    _schedule(ledger, namespace, memory_id, delay_s, None)


def schedule_return(ledger: Ledger, namespace: str, row: sqlite3.Row, delay_s: float) -> None:
    """Let a removed memory come back after a delay, also across a restart."""
    _schedule(ledger, namespace, row["id"], delay_s, json.dumps(dict(row)))


def settle(ledger: Ledger) -> None:
    """Do what is due; called at the start of every transaction."""
    for row in ledger.rows("SELECT * FROM due WHERE at <= ? ORDER BY seq", ledger.now):
        ledger.run("DELETE FROM due WHERE seq = ?", row["seq"])
        if row["record"] is None:
            remove(ledger, row["namespace"], row["memory_id"])
        else:
            back = json.loads(row["record"])
            put(ledger, row["namespace"], back["id"], back["content"], back["thread_id"])


def _schedule(
    ledger: Ledger, namespace: str, memory_id: str, delay_s: float, record: str | None
) -> None:
    ledger.run(
        "INSERT OR IGNORE INTO due (namespace, memory_id, at, record) VALUES (?, ?, ?, ?)",
        namespace,
        memory_id,
        ledger.now + delay_s,
        record,
    )
