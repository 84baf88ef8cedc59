"""Retained conversations, their ingestion into memories, and what deleting a thread means."""

import sqlite3
from collections.abc import Callable, Sequence

from memtru_ci.adapters import ChatMessage, Context, CreatedRecord, HookReceipt, RecordKind
from memtru_ci.adapters.faults import RefusedRequest
from memtru_ci.reference.memories import insert
from memtru_ci.reference.store import Ledger
from memtru_ci.reference.text import stated
from memtru_ci.reference.tombstones import is_buried, lay_tombstone


def record(ledger: Ledger, ctx: Context, messages: Sequence[ChatMessage]) -> HookReceipt:
    """Append to the history of a thread. Ingestion is another matter."""
    if ctx.thread_id is None:
        raise RefusedRequest("a conversation needs a thread_id")
    is_new = not ledger.has(
        "SELECT 1 FROM messages WHERE namespace = ? AND thread_id = ?", ctx.namespace, ctx.thread_id
    )
    for one in messages:
        ledger.run(
            "INSERT INTO messages (namespace, thread_id, role, content) VALUES (?, ?, ?, ?)",
            ctx.namespace,
            ctx.thread_id,
            one.role,
            one.content,
        )
    thread = CreatedRecord(kind=RecordKind.THREAD, id=ctx.thread_id)
    return HookReceipt(
        executed=True,
        detail=f"{len(messages)} message(s) retained",
        created=(thread,) if is_new else (),
        processed=len(messages),
    )


def ingest(ledger: Ledger, namespace: str) -> list[str]:
    """Make memories of the user messages that were not read yet; returns their ids.

    A message whose memory was deleted is never read again, whatever the cursor says.
    """
    rows = ledger.rows(
        "SELECT * FROM messages WHERE namespace = ? "
        "AND seq > coalesce((SELECT seq FROM cursors WHERE namespace = ?), 0) ORDER BY seq",
        namespace,
        namespace,
    )
    if rows:
        ledger.run("INSERT OR REPLACE INTO cursors VALUES (?, ?)", namespace, rows[-1]["seq"])
    allowed = [row for row in rows if not is_buried(ledger, namespace, "message", message_key(row))]
    return derive(ledger, namespace, allowed)


def derive(ledger: Ledger, namespace: str, rows: Sequence[sqlite3.Row]) -> list[str]:
    """A memory for each message that states something and has none; returns the new ids."""
    ids = []
    for row in rows:
        said = stated(row["content"]) if row["role"] == "user" else None
        known = "SELECT 1 FROM records WHERE namespace = ? AND source = ?"
        if said and not ledger.has(known, namespace, message_key(row)):
            ids.append(insert(ledger, namespace, said, source=message_key(row)))
    return ids


def message_key(row: sqlite3.Row) -> str:
    """The provenance that a derived memory carries."""
    return f"msg_{row['seq']:06d}"


def delete_thread(
    ledger: Ledger, ctx: Context, bury: Callable[[Ledger, str, sqlite3.Row], object]
) -> HookReceipt:
    """Delete the conversation and what was written in the thread.

    A memory that ingestion derived from the conversation is long-term memory: it belongs to the
    namespace and stays, as the `thread_checkpoint` contract has it.
    """
    scope = (ctx.namespace, ctx.thread_id)
    written = ledger.rows("SELECT * FROM records WHERE namespace = ? AND thread_id = ?", *scope)
    for row in written:
        bury(ledger, ctx.namespace, row)
    said = ledger.run("DELETE FROM messages WHERE namespace = ? AND thread_id = ?", *scope).rowcount
    lay_tombstone(ledger, ctx.namespace, "thread", ctx.thread_id or "")
    return HookReceipt(
        executed=True,
        detail=f"thread deleted: {said} message(s), {len(written)} record(s) written in it; "
        "memories derived from it stay",
        processed=said + len(written),
    )
