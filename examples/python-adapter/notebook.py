"""A memory in one SQLite file, put behind the HTTP contract: the smallest adapter with a hook."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from memtru_ci.adapters import (
    Capability,
    Context,
    FoundMemory,
    HookReceipt,
    MemoryAdapter,
    MemoryLifecycleHooks,
    NoSuchRecord,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT, content TEXT, is_deleted INTEGER DEFAULT 0
);
CREATE TABLE IF NOT EXISTS queue (namespace TEXT, note INTEGER, content TEXT);
"""


class Notebook(MemoryAdapter, MemoryLifecycleHooks):
    """Notes of many namespaces, and a queue of updates that are applied later.

    With `checks_deletes=False` the queue is applied blindly: the fault that MT-AF-001 finds.
    """

    def __init__(self, file: str = "notebook.db", checks_deletes: bool = True) -> None:
        self._file = Path(file)
        self._checks_deletes = checks_deletes
        with self._open() as db:
            db.executescript(SCHEMA)

    def capabilities(self) -> Collection[Capability]:
        return {
            Capability.MEMORY_WRITE,
            Capability.MEMORY_SEARCH,
            Capability.MEMORY_DELETE,
            Capability.LIFECYCLE_PENDING_WRITES,
        }

    def write(self, ctx: Context, content: str, metadata: dict[str, Any] | None) -> str:
        with self._open() as db:
            added = db.execute(
                "INSERT INTO notes (namespace, content) VALUES (?, ?)", (ctx.namespace, content)
            )
            return str(added.lastrowid)

    def search(self, ctx: Context, query: str, limit: int) -> Sequence[FoundMemory]:
        words = set(query.casefold().split())
        with self._open() as db:
            rows = db.execute(
                "SELECT id, content FROM notes WHERE namespace = ? AND NOT is_deleted",
                (ctx.namespace,),
            ).fetchall()
        scored = [(len(words & set(text.casefold().split())), note, text) for note, text in rows]
        best = sorted((one for one in scored if one[0]), reverse=True)[:limit]
        return [FoundMemory(id=str(note), content=text, score=hits) for hits, note, text in best]

    def delete(self, ctx: Context, memory_id: str) -> None:
        with self._open() as db:
            gone = db.execute(
                "UPDATE notes SET is_deleted = 1, content = '' "
                "WHERE namespace = ? AND id = ? AND NOT is_deleted",
                (ctx.namespace, memory_id),
            )
            if not gone.rowcount:
                raise NoSuchRecord(f"there is no note {memory_id}")

    def begin_pending_write(
        self, ctx: Context, content: str, target_id: str | None = None
    ) -> HookReceipt:
        """Queue an update, as the application does when the user edits a note."""
        with self._open() as db:
            db.execute("INSERT INTO queue VALUES (?, ?, ?)", (ctx.namespace, target_id, content))
        return HookReceipt(executed=True, detail="1 update queued")

    def release_pending_writes(self, ctx: Context) -> HookReceipt:
        """Let the worker run once: apply what is queued, in the way the application does."""
        with self._open() as db:
            queued = db.execute(
                "SELECT note, content FROM queue WHERE namespace = ?", (ctx.namespace,)
            ).fetchall()
            db.execute("DELETE FROM queue WHERE namespace = ?", (ctx.namespace,))
            for note, content in queued:
                self._apply(db, note, content)
        detail = f"{len(queued)} update(s) processed"
        return HookReceipt(executed=True, detail=detail, processed=len(queued))

    def _apply(self, db: sqlite3.Connection, note: str, content: str) -> None:
        if self._checks_deletes:
            db.execute(
                "UPDATE notes SET content = ? WHERE id = ? AND NOT is_deleted", (content, note)
            )
        else:
            db.execute("UPDATE notes SET content = ?, is_deleted = 0 WHERE id = ?", (content, note))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=10)) as db, db:
            yield db
