"""What a memory service, or the gate for it, can do."""

from enum import StrEnum


class Capability(StrEnum):
    """A capability by its public name in the HTTP contract, version 1.0."""

    MEMORY_WRITE = "MEMORY_WRITE"
    MEMORY_UPDATE = "MEMORY_UPDATE"
    MEMORY_SEARCH = "MEMORY_SEARCH"
    MEMORY_LIST = "MEMORY_LIST"
    MEMORY_DELETE = "MEMORY_DELETE"
    THREAD_DELETE = "THREAD_DELETE"
    NAMESPACE_DELETE = "NAMESPACE_DELETE"
    LIFECYCLE_PENDING_WRITES = "LIFECYCLE_PENDING_WRITES"
    LIFECYCLE_CONVERSATION = "LIFECYCLE_CONVERSATION"
    LIFECYCLE_NEW_SESSION = "LIFECYCLE_NEW_SESSION"
    LIFECYCLE_CONSOLIDATE = "LIFECYCLE_CONSOLIDATE"
    LIFECYCLE_RESTART = "LIFECYCLE_RESTART"
    LIFECYCLE_BACKUP = "LIFECYCLE_BACKUP"
    LIFECYCLE_SURFACES = "LIFECYCLE_SURFACES"
    POLICY_EVENTS = "POLICY_EVENTS"
    POLICY_QUERY = "POLICY_QUERY"


LIFECYCLE = frozenset(one for one in Capability if one.startswith("LIFECYCLE_"))
"""The capabilities that only an adapter with `MemoryLifecycleHooks` can have."""
