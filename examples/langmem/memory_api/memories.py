"""What LangMem's tool does to the memories of a user, and how they are found."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_openai import OpenAIEmbeddings
from langgraph.store.base import Item, SearchItem
from langgraph.store.sqlite import SqliteStore
from langmem import create_manage_memory_tool

DIMENSIONS = 1536
LARGEST_SHELF = 10_000


class Memories:
    """The memories of all users. Every call has a connection of its own to the database.

    The store embeds a text inside its transaction; one connection for all would make every other
    call wait for the model.
    """

    def __init__(self, data: Path) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self._file = str(data / "store.sqlite")
        # With `check_embedding_ctx_length` tokens are sent in place of the text.
        self._embeddings = OpenAIEmbeddings(
            model="text-embedding-3-small",
            base_url=os.environ["OPENAI_BASE_URL"],
            api_key=os.environ["OPENAI_API_KEY"],
            check_embedding_ctx_length=False,
            max_retries=0,
            timeout=60,
        )
        with self._store() as store:
            store.setup()

    def create(self, user: str, content: str) -> str:
        """Keep a memory; its id."""
        return self._manage(user, content=content, action="create").rsplit(" ", 1)[-1]

    def update(self, user: str, memory_id: UUID, content: str) -> str:
        """Let the tool give a memory another content; what it says."""
        return self._manage(user, id=memory_id, content=content, action="update")

    def delete(self, user: str, memory_id: UUID) -> str:
        """Let the tool delete a memory; what it says, whether there was one or not."""
        return self._manage(user, id=memory_id, action="delete")

    def search(self, user: str, query: str | None, limit: int) -> list[SearchItem]:
        """The memories that are closest to a text, best first; without one, the newest."""
        with self._store() as store:
            return store.search(_shelf(user), query=query, limit=limit)

    def get(self, user: str, memory_id: UUID) -> Item | None:
        """One memory; None where there is none."""
        with self._store() as store:
            return store.get(_shelf(user), str(memory_id))

    def _manage(self, user: str, **arguments: Any) -> str:
        with self._store() as store:
            tool = create_manage_memory_tool(namespace=_shelf(user), store=store)
            return str(tool.invoke(arguments))

    @contextmanager
    def _store(self) -> Iterator[SqliteStore]:
        index: Any = {"dims": DIMENSIONS, "embed": self._embeddings, "fields": ["content"]}
        with SqliteStore.from_conn_string(self._file, index=index) as store:
            store.conn.execute("PRAGMA busy_timeout=10000")
            yield store


def _shelf(user: str) -> tuple[str, ...]:
    return ("memories", user)
