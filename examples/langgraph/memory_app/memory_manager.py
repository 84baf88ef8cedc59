"""The memory manager: the graph nodes that write, delete and derive memories, with no model.

`honour_tombstones` is the one difference between the two variants of this application. Without it,
a late write is applied blindly, and every ingestion rebuilds memories and profile from all retained
threads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypedDict

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, PutOp

from memory_app.names import derived_memory_id, memories_of, profile_of
from memory_app.statements import Statement, statement_in
from memory_app.tombstones import is_buried, tombstone_for

Outcome = Literal["created", "updated", "missing", "refused", "deleted"]


class WriteState(TypedDict, total=False):
    """One change of one memory on its way through the graph."""

    action: Literal["write", "update", "forget"]
    namespace: str
    memory_id: str
    content: str
    metadata: dict[str, Any]
    deferred: bool
    outcome: Outcome


class IngestState(TypedDict, total=False):
    """One ingestion cycle: what was said, and the memories that it newly became."""

    namespace: str
    statements: list[Statement]
    created: list[str]


class MemoryManager:
    """Decides what becomes, stays and stops being a memory; keeps the profile in step."""

    def __init__(self, *, honour_tombstones: bool) -> None:
        self._honour_tombstones = honour_tombstones

    def apply(self, state: WriteState, runtime: Runtime) -> dict[str, Outcome]:
        """Node: put one memory into the store."""
        store, namespace, memory_id = _store(runtime), state["namespace"], state["memory_id"]
        if self._is_deleted(store, namespace, memory_id):
            return {"outcome": "refused"}
        existing = store.get(memories_of(namespace), memory_id)
        if existing is None and state["action"] == "update" and not state["deferred"]:
            return {"outcome": "missing"}
        kept = existing.value["metadata"] if existing else {}
        metadata = state.get("metadata") or kept
        store.batch(memory_puts(namespace, memory_id, state["content"], metadata))
        return {"outcome": "updated" if existing else "created"}

    def forget(self, state: WriteState, runtime: Runtime) -> dict[str, Outcome]:
        """Node: remove one memory and its line in the profile, in one transaction."""
        store, namespace, memory_id = _store(runtime), state["namespace"], state["memory_id"]
        if store.get(memories_of(namespace), memory_id) is None:
            return {"outcome": "missing"}
        changes = [
            PutOp(memories_of(namespace), memory_id, None),
            PutOp(profile_of(namespace), memory_id, None),
        ]
        if self._honour_tombstones:
            changes.append(tombstone_for(namespace, memory_id))
        store.batch(changes)
        return {"outcome": "deleted"}

    def derive(self, state: IngestState, runtime: Runtime) -> dict[str, list[str]]:
        """Node: turn what was said into memories."""
        store, namespace, created = _store(runtime), state["namespace"], []
        for statement in state["statements"]:
            memory_id = derived_memory_id(statement.thread_id, statement.message_id)
            exists = store.get(memories_of(namespace), memory_id) is not None
            if self._leave_alone(store, namespace, memory_id, exists=exists):
                continue
            origin = {"thread_id": statement.thread_id, "message_id": statement.message_id}
            store.batch(memory_puts(namespace, memory_id, statement.text, origin))
            if not exists:
                created.append(memory_id)
        return {"created": created}

    def _leave_alone(
        self, store: BaseStore, namespace: str, memory_id: str, *, exists: bool
    ) -> bool:
        # What a user corrected is newer than the message it was derived from.
        kept = self._honour_tombstones and exists
        return kept or self._is_deleted(store, namespace, memory_id)

    def _is_deleted(self, store: BaseStore, namespace: str, memory_id: str) -> bool:
        return self._honour_tombstones and is_buried(store, namespace, memory_id)


def memory_puts(
    namespace: str, memory_id: str, content: str, metadata: dict[str, Any]
) -> Iterable[PutOp]:
    """The store operations that keep a memory and its line in the profile; one transaction."""
    memory = {"content": content, "metadata": metadata}
    line = {"content": statement_in(content) or content}
    return [
        PutOp(memories_of(namespace), memory_id, memory),
        PutOp(profile_of(namespace), memory_id, line),
    ]


def _store(runtime: Runtime) -> BaseStore:
    if runtime.store is None:
        raise RuntimeError("the graph was compiled without a store")
    return runtime.store
