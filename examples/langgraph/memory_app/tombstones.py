"""Tombstones: which memories were deleted, kept so that later writes and ingestion can ask.

A tombstone names one memory by its id and holds none of its content. The id of a derived memory
follows from the message it was made from, so a tombstone stops that message from becoming a memory
again, and no other message: the same words said again later are a new message with its own id.
"""

from __future__ import annotations

from datetime import UTC, datetime

from langgraph.store.base import BaseStore, PutOp

from memory_app.names import tombstones_of


def tombstone_for(namespace: str, memory_id: str) -> PutOp:
    """The store operation that buries a memory; to be applied together with its removal."""
    buried = {"deleted_at": datetime.now(UTC).isoformat()}
    return PutOp(tombstones_of(namespace), memory_id, buried)


def is_buried(store: BaseStore, namespace: str, memory_id: str) -> bool:
    """Whether the owner deleted this memory."""
    return store.get(tombstones_of(namespace), memory_id) is not None
