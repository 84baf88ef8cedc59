"""Ways in which lifecycle events go wrong; each takes the place of a rule."""

import json
from collections.abc import Sequence

from memtru_ci.adapters import HookReceipt
from memtru_ci.adapters.faults import AdapterFault
from memtru_ci.reference import conversations, memories, pending, profile
from memtru_ci.reference.pending import HeldWrite
from memtru_ci.reference.store import Ledger
from memtru_ci.reference.tombstones import is_buried


def write_anyway(ledger: Ledger, write: HeldWrite) -> bool:
    """Write a deleted record anew, in its thread if it had one."""
    _resurrect(ledger, write["namespace"], write["target_id"], write["content"], write["thread_id"])
    return True


def keep_in_journal(ledger: Ledger, write: HeldWrite) -> bool:
    """Leave a refused write in the service's own log."""
    ledger.run("INSERT INTO journal (held) VALUES (?)", json.dumps(dict(write)))
    return False


def replay_journal(ledger: Ledger) -> None:
    """Apply the log without a look at the tombstones."""
    for row in ledger.rows("SELECT held FROM journal ORDER BY seq"):
        held = json.loads(row["held"])
        _resurrect(ledger, held["namespace"], held["target_id"], held["content"], held["thread_id"])
    ledger.run("DELETE FROM journal")


def show_in_profile(ledger: Ledger, write: HeldWrite) -> bool:
    """Let the summary take up what the store refused."""
    namespace = write["namespace"]
    ledger.run("INSERT INTO stale_profile VALUES (?, ?)", namespace, write["content"])
    profile.rebuild(ledger, namespace)
    return False


def reingest_all(ledger: Ledger, namespace: str) -> Sequence[str]:
    """Read the retained history from its beginning, whatever was deleted."""
    rows = ledger.rows("SELECT * FROM messages WHERE namespace = ? ORDER BY seq", namespace)
    return conversations.derive(ledger, namespace, rows)


def ingest_until_delete(ledger: Ledger, namespace: str) -> Sequence[str]:
    """Ingest rightly, until something was deleted; then make nothing."""
    return [] if _deleted_from(ledger, namespace) else conversations.ingest(ledger, namespace)


def everything_returns(ledger: Ledger, namespace: str, memory_id: str) -> bool:
    """A restore asks no tombstone."""
    return True


def decline_after_delete(ledger: Ledger, namespace: str | None) -> str:
    """A reason not to run, once something was deleted: there, or anywhere for `None`."""
    return "the worker is not running" if _deleted_from(ledger, namespace) else ""


def drop_held_writes(ledger: Ledger, namespace: str, refused: pending.Refused) -> HookReceipt:
    """Claim to have applied what is thrown away."""
    count = len(pending.taken(ledger, namespace))
    detail = f"{count} held write(s) applied, 0 refused"
    return HookReceipt(executed=True, detail=detail, processed=count)


def keep_holding(ledger: Ledger, namespace: str, refused: pending.Refused) -> HookReceipt:
    """Run, and deal with nothing."""
    return HookReceipt(executed=True, detail="0 held write(s) applied", processed=0)


def break_search(ledger: Ledger, namespace: str) -> None:
    """Break the search of a namespace for good, if something was deleted from it."""
    if _deleted_from(ledger, namespace):
        ledger.run("INSERT OR IGNORE INTO flags VALUES (?, 'search_broken')", namespace)


def break_search_everywhere(ledger: Ledger) -> None:
    """A restart is an event of every namespace."""
    for row in ledger.rows("SELECT DISTINCT namespace FROM tombstones"):
        break_search(ledger, row["namespace"])


def fail_if_broken(ledger: Ledger, namespace: str) -> None:
    """Raise what a broken index would."""
    if ledger.has("SELECT 1 FROM flags WHERE namespace = ? AND name = 'search_broken'", namespace):
        raise AdapterFault("the search index is not available")


def _deleted_from(ledger: Ledger, namespace: str | None) -> bool:
    if namespace is None:
        return ledger.has("SELECT 1 FROM tombstones LIMIT 1")
    return ledger.has("SELECT 1 FROM tombstones WHERE namespace = ? LIMIT 1", namespace)


def _resurrect(
    ledger: Ledger, namespace: str, memory_id: str | None, content: str, thread_id: str | None
) -> None:
    if memory_id and is_buried(ledger, namespace, "memory", memory_id):
        memories.put(ledger, namespace, memory_id, content, thread_id)
