"""Where things are kept: namespaces of the LangGraph store, and thread ids of its checkpointer."""

from __future__ import annotations

import hashlib
import time
import uuid
from urllib.parse import quote

Shelf = tuple[str, str]

KINDS = ("memories", "profiles", "tombstones", "threads", "held_writes")


def label(text: str) -> str:
    """One store label for any text that is not empty; the store takes no periods."""
    return quote(text, safe="").replace(".", "%2E")


def memories_of(namespace: str) -> Shelf:
    """Where the memories of one user are."""
    return ("memories", label(namespace))


def profile_of(namespace: str) -> Shelf:
    """Where the profile that is derived from a user's memories is."""
    return ("profiles", label(namespace))


def tombstones_of(namespace: str) -> Shelf:
    """Where it is written down which memories a user deleted."""
    return ("tombstones", label(namespace))


def threads_of(namespace: str) -> Shelf:
    """The list of a user's retained threads; a checkpointer cannot list them by user."""
    return ("threads", label(namespace))


def held_writes_of(namespace: str) -> Shelf:
    """The list of graph runs that wait before they write."""
    return ("held_writes", label(namespace))


def shelves_of(namespace: str) -> list[Shelf]:
    """Everything that the store keeps for one user."""
    return [(kind, label(namespace)) for kind in KINDS]


def conversation_thread(namespace: str, thread_id: str) -> str:
    """The checkpointer's thread id of a conversation; users must never share one."""
    return f"{label(namespace)}/conversation/{label(thread_id)}"


def write_thread(namespace: str, run_id: str) -> str:
    """The checkpointer's thread id of a held write; it outlives the thread it came from."""
    return f"{label(namespace)}/write/{run_id}"


def new_memory_id() -> str:
    """An id for a memory that somebody writes; never used twice."""
    return f"mem_{uuid.uuid4().hex}"


def derived_memory_id(thread_id: str, message_id: str) -> str:
    """The id of the memory made from one message: the same in every ingestion cycle."""
    source = f"{label(thread_id)}/{label(message_id)}"
    return f"mem_{hashlib.sha256(source.encode()).hexdigest()[:32]}"


def new_run_id() -> str:
    """An id for a held write; ids sort in the order in which the writes were begun."""
    return f"{time.time_ns():020d}_{uuid.uuid4().hex[:8]}"
