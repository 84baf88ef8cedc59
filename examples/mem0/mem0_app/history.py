"""The application's own record of what users said, and of what it has handed to the library."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS message (
  number INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT, thread TEXT, text TEXT,
  handed_over INTEGER NOT NULL DEFAULT 0
)
"""


class History:
    """Messages in a SQLite file; each is handed over once."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        with self._open() as db:
            db.execute(_SCHEMA)

    def append(self, namespace: str, thread: str, texts: list[str]) -> None:
        """Keep messages."""
        with self._open() as db:
            db.executemany(
                "INSERT INTO message (namespace, thread, text) VALUES (?, ?, ?)",
                [(namespace, thread, text) for text in texts],
            )

    def take_new(self, namespace: str) -> list[str]:
        """The messages that were not taken yet, the oldest first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT text FROM message WHERE namespace = ? AND NOT handed_over ORDER BY number",
                (namespace,),
            ).fetchall()
            db.execute("UPDATE message SET handed_over = 1 WHERE namespace = ?", (namespace,))
        return [text for (text,) in rows]

    def forget(self, namespace: str) -> int:
        """Drop the messages of a namespace; how many there were."""
        with self._open() as db:
            return db.execute("DELETE FROM message WHERE namespace = ?", (namespace,)).rowcount

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=10)) as db, db:
            yield db
