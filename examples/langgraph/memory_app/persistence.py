"""Opens LangGraph's SQLite checkpointer and store, in a directory that outlives the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import Item
from langgraph.store.sqlite import SqliteStore

from memory_app.names import Shelf

# The store always takes a limit; a shelf is read whole, because ranking is done here.
WHOLE_SHELF = 1_000_000


@dataclass(frozen=True)
class Persistence:
    """What the application remembers: conversations in checkpoints, memories in the store."""

    checkpointer: SqliteSaver
    store: SqliteStore


@contextmanager
def opened(directory: Path) -> Iterator[Persistence]:
    """Open or create both databases; they are closed at the end of the block."""
    directory.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        checkpointer = stack.enter_context(
            SqliteSaver.from_conn_string(str(directory / "checkpoints.sqlite"))
        )
        store = stack.enter_context(SqliteStore.from_conn_string(str(directory / "store.sqlite")))
        # Without `index` no SQLite extension is loaded, which many Python builds do not allow.
        store.conn.execute("PRAGMA journal_mode=WAL")
        checkpointer.setup()
        store.setup()
        yield Persistence(checkpointer, store)


def everything_on(store: SqliteStore, shelf: Shelf) -> list[Item]:
    """All items of one shelf, the last changed first."""
    return list(store.search(shelf, limit=WHOLE_SHELF))
