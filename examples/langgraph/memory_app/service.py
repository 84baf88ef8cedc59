"""What the application does for a user, in terms of graph runs, the checkpointer and the store."""

from __future__ import annotations

import threading
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import Item

from memory_app.graph import Graphs, build_graphs
from memory_app.held_writes import HeldWrites
from memory_app.memory_manager import MemoryManager, Outcome
from memory_app.names import (
    conversation_thread,
    memories_of,
    new_memory_id,
    profile_of,
    shelves_of,
    threads_of,
)
from memory_app.persistence import Persistence, everything_on
from memory_app.ranking import ranked
from memory_app.receipts import Record, receipt


class MemoryApplication:
    """Conversations, memories and what happens to them later; safe to call from many threads.

    Changes take turns: two runs on one thread would fork its checkpoints, and a deletion must not
    fall between the look for a tombstone and the write that follows it.
    """

    def __init__(self, kept: Persistence, *, honour_tombstones: bool) -> None:
        self._kept = kept
        self._graphs: Graphs = build_graphs(
            kept, MemoryManager(honour_tombstones=honour_tombstones)
        )
        self._held = HeldWrites(kept, self._graphs.deferred)
        self._turn = threading.Lock()

    def write(self, namespace: str, content: str, metadata: dict[str, Any]) -> str:
        """Remember something; returns the memory's id."""
        memory_id = new_memory_id()
        self._change("write", namespace, memory_id, content=content, metadata=metadata)
        return memory_id

    def update(self, namespace: str, memory_id: str, content: str) -> Outcome:
        """Change a memory: `updated`, `missing`, or `refused` because its owner deleted it."""
        return self._change("update", namespace, memory_id, content=content)

    def forget(self, namespace: str, memory_id: str) -> Outcome:
        """Delete a memory: `deleted` or `missing`. What was said in a conversation stays there."""
        return self._change("forget", namespace, memory_id)

    def search(self, namespace: str, query: str, limit: int) -> list[tuple[float, Item]]:
        """The memories that share words with the query, with their scores, best first."""
        found = self._graphs.recall.invoke({"namespace": namespace, "query": query})["found"]
        return list(found[:limit])

    def memories(self, namespace: str, *, after: str, limit: int) -> tuple[list[Item], str | None]:
        """One page of all memories, by id, and the id after which the next page begins."""
        items = everything_on(self._kept.store, memories_of(namespace))
        rest = sorted((item for item in items if item.key > after), key=lambda item: item.key)
        more = len(rest) > limit
        return rest[:limit], rest[limit - 1].key if more else None

    def profile(self, namespace: str, query: str) -> list[Item]:
        """The whole profile that an agent is given about a user, what the query asks for first."""
        lines = everything_on(self._kept.store, profile_of(namespace))
        matching = [line for _, line in ranked(query, lines)]
        first = {line.key for line in matching}
        return matching + [line for line in lines if line.key not in first]

    def converse(
        self, namespace: str, thread_id: str, messages: list[dict[str, str]]
    ) -> dict[str, Any]:
        """Append messages to a thread; its checkpoints keep them until the thread is deleted."""
        with self._turn:
            known = self._kept.store.get(threads_of(namespace), thread_id) is not None
            self._kept.store.put(threads_of(namespace), thread_id, {})
            config = _on_thread(namespace, thread_id)
            self._graphs.conversation.invoke({"messages": messages}, config, durability="sync")
        created = [] if known else [Record("thread", thread_id)]
        return receipt(f"{len(messages)} messages kept", created, processed=len(messages))

    def ingest(self, namespace: str) -> dict[str, Any]:
        """Go through every retained thread and derive memories and profile from it."""
        with self._turn:
            done = self._graphs.ingest.invoke({"namespace": namespace})
        created = [Record("memory", memory_id) for memory_id in done["created"]]
        read = len(done["statements"])
        return receipt(f"{read} statements read, {len(created)} new memories", created, read)

    def hold_write(self, namespace: str, content: str, target_id: str | None) -> dict[str, Any]:
        """Start a graph run that writes, and hold it right before it does."""
        with self._turn:
            return self._held.begin(namespace, content, target_id)

    def release_writes(self, namespace: str) -> dict[str, Any]:
        """Let the held graph runs of a user go on to their end, in the order they were begun."""
        with self._turn:
            return self._held.release(namespace)

    def delete_thread(self, namespace: str, thread_id: str) -> dict[str, Any]:
        """Delete a conversation's checkpoints; memories that came from it are not among them."""
        with self._turn:
            known = self._kept.store.get(threads_of(namespace), thread_id) is not None
            self._delete_thread(namespace, thread_id)
        return receipt("checkpoints deleted" if known else "no such thread", processed=int(known))

    def delete_namespace(self, namespace: str) -> dict[str, Any]:
        """Delete all that is kept for a user: threads, held runs, memories, profile, tombstones."""
        with self._turn:
            removed = self._held.drop(namespace)
            for thread in everything_on(self._kept.store, threads_of(namespace)):
                self._delete_thread(namespace, thread.key)
                removed += 1
            for shelf in shelves_of(namespace):
                for item in everything_on(self._kept.store, shelf):
                    self._kept.store.delete(shelf, item.key)
                    removed += 1
        return receipt(f"{removed} records removed", processed=removed)

    def _change(self, action: str, namespace: str, memory_id: str, **what: Any) -> Outcome:
        change = {"action": action, "namespace": namespace, "memory_id": memory_id, **what}
        with self._turn:
            done = self._graphs.write.invoke({"deferred": False, **change})
        outcome: Outcome = done["outcome"]
        return outcome

    def _delete_thread(self, namespace: str, thread_id: str) -> None:
        self._kept.checkpointer.delete_thread(conversation_thread(namespace, thread_id))
        self._kept.store.delete(threads_of(namespace), thread_id)


def _on_thread(namespace: str, thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": conversation_thread(namespace, thread_id)}}
