"""Keeps memos in a SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memo.store import Memo

_SCHEMA = """
CREATE TABLE IF NOT EXISTS memo (
  user TEXT, id TEXT, text TEXT NOT NULL, vector TEXT NOT NULL, PRIMARY KEY (user, id)
)
"""


class SqliteStore:
    """Implements `Store`; every call has a connection of its own, so that threads may share it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._open() as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(_SCHEMA)

    def has(self, user: str, memo_id: str) -> bool:
        with self._open() as db:
            found = db.execute("SELECT 1 FROM memo WHERE user = ? AND id = ?", (user, memo_id))
            return found.fetchone() is not None

    def put(self, user: str, memo: Memo) -> None:
        with self._open() as db:
            db.execute(
                "INSERT OR REPLACE INTO memo VALUES (?, ?, ?, ?)",
                (user, memo.id, memo.text, memo.packed_vector),
            )

    def replace(self, user: str, memo: Memo) -> bool:
        with self._open() as db:
            done = db.execute(
                "UPDATE memo SET text = ?, vector = ? WHERE user = ? AND id = ?",
                (memo.text, memo.packed_vector, user, memo.id),
            )
            return done.rowcount == 1

    def remove(self, user: str, memo_id: str) -> bool:
        with self._open() as db:
            done = db.execute("DELETE FROM memo WHERE user = ? AND id = ?", (user, memo_id))
            return done.rowcount == 1

    def all_of(self, user: str) -> list[Memo]:
        with self._open() as db:
            rows = db.execute(
                "SELECT id, text, vector FROM memo WHERE user = ? ORDER BY id", (user,)
            ).fetchall()
        return [Memo(memo_id, text, json.loads(vector)) for memo_id, text, vector in rows]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=10)) as db, db:
            yield db
