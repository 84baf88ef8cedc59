"""The database file: one transaction at a time, on disk before it is acknowledged."""

import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtru_ci.reference.schema import TABLES

FILE_NAME = "memory.sqlite3"


@dataclass(frozen=True)
class Ledger:
    """An open transaction; `now` is the wall clock in seconds."""

    db: sqlite3.Connection
    now: float

    def run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """Execute one statement."""
        return self.db.execute(statement, values)

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self.db.execute(query, values).fetchall()

    def has(self, query: str, *values: Any) -> bool:
        """Whether a query has any row."""
        return self.db.execute(query, values).fetchone() is not None

    def added(self, statement: str, *values: Any) -> int:
        """The number of the row that an INSERT made."""
        return self.db.execute(statement, values).lastrowid or 0

    def count_up(self, counter: str) -> int:
        """The next number of a counter; never given twice, also after a restart."""
        row = self.db.execute(
            "INSERT INTO counters VALUES (?, 1) "
            "ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
            (counter,),
        ).fetchone()
        return int(row["value"])


class Store:
    """Durable state in `data_dir`, or in a temporary folder that is removed at `close`.

    A committed transaction survives a killed process: write-ahead log, synchronised at each commit.
    """

    def __init__(self, data_dir: Path | None, clock: Callable[[], float]) -> None:
        self._temporary = tempfile.TemporaryDirectory() if data_dir is None else None
        self._folder = Path(self._temporary.name) if self._temporary else Path(data_dir or ".")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._clock = clock
        self._lock = threading.RLock()
        self._db = self._opened()

    @contextmanager
    def transaction(self) -> Iterator[Ledger]:
        """Everything in it happens, or nothing does."""
        with self._lock:
            self._db.execute("BEGIN")
            try:
                yield Ledger(self._db, self._clock())
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def reopen(self) -> None:
        """Close the file and open it again, as a restart of the process would."""
        with self._lock:
            self._db.close()
            self._db = self._opened()

    def close(self) -> None:
        """Close the file; may be called again."""
        with self._lock:
            self._db.close()
            if self._temporary is not None:
                self._temporary.cleanup()

    def _opened(self) -> sqlite3.Connection:
        # Autocommit mode: transactions are begun and ended here, not by the driver's guesses.
        db = sqlite3.connect(
            self._folder / FILE_NAME, isolation_level=None, check_same_thread=False
        )
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.executescript(TABLES)
        return db
