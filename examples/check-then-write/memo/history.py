"""Keeps what users said, for as long as they do not ask otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS message (
  number INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT, talk TEXT, text TEXT NOT NULL,
  was_read INTEGER NOT NULL DEFAULT 0
)
"""


@dataclass(frozen=True)
class Message:
    """Something that a user said, in one of their talks."""

    number: int
    user: str
    text: str
    was_read: bool
    """Whether a consolidation has made memos of it before."""


class History:
    """The messages of all users, in a SQLite file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._open() as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(_SCHEMA)

    def append(self, user: str, talk: str, text: str) -> None:
        """Keep a message."""
        with self._open() as db:
            db.execute(
                "INSERT INTO message (user, talk, text) VALUES (?, ?, ?)", (user, talk, text)
            )

    def all(self) -> list[Message]:
        """All messages, the oldest first."""
        with self._open() as db:
            rows = db.execute("SELECT number, user, text, was_read FROM message ORDER BY number")
            return [Message(number, user, text, bool(read)) for number, user, text, read in rows]

    def mark_read(self, message: Message) -> None:
        """Note that memos were made of it."""
        with self._open() as db:
            db.execute("UPDATE message SET was_read = 1 WHERE number = ?", (message.number,))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=10)) as db, db:
            yield db
