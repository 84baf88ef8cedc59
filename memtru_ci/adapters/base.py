"""The memory calls that an adapter implements, and the values they take and give."""

from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias, TypeVar

from memtru_ci.adapters.faults import NotSupported
from memtru_ci.contract.messages import (
    FoundMemory,
    ListAnswer,
    PolicyEventsAnswer,
    PolicyQueryAnswer,
    PolicyQueryRequest,
)
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import HookReceipt

T = TypeVar("T")
MaybeAwaitable: TypeAlias = T | Awaitable[T]
"""The value itself from a plain method, or what an `async` one returns."""


@dataclass(frozen=True)
class AdapterInfo:
    """The service's name and version, and its promise in milliseconds, where it makes one."""

    name: str
    version: str
    consistency_window_ms: int | None = None


@dataclass(frozen=True)
class Context:
    """Where a call acts: an isolated user or tenant, and a conversation in it, if any."""

    namespace: str
    thread_id: str | None = None


class Deletion(Enum):
    """How far a delete has come when it is acknowledged."""

    DONE = "done"
    ACCEPTED = "accepted"
    """Not done yet; it is within the consistency window."""


class MemoryAdapter:
    """A memory, call by call. Override what you declare in `capabilities()`; the rest is refused.

    Methods may raise `NoSuchRecord`, `RecordGone`, `RefusedRequest` and `NotSupported`. Any other
    exception is the service's failure (500).
    """

    def capabilities(self) -> Collection[Capability]:
        """What the adapter implements, hooks included. Required."""
        raise NotImplementedError(f"{type(self).__name__} must say its capabilities()")

    def info(self) -> AdapterInfo:
        """Name, version and consistency window."""
        return AdapterInfo(type(self).__name__, "0")

    def is_ready(self) -> MaybeAwaitable[bool]:
        """Whether calls can be taken yet."""
        return True

    def close(self) -> MaybeAwaitable[None]:
        """Give everything back; called once, when the server stops."""
        return None

    def write(
        self, ctx: Context, content: str, metadata: dict[str, Any] | None
    ) -> MaybeAwaitable[str]:
        """Store a memory; returns its id."""
        raise NotSupported("write is not implemented")

    def update(self, ctx: Context, memory_id: str, content: str) -> MaybeAwaitable[None]:
        """Give an existing memory another text. Never creates one."""
        raise NotSupported("update is not implemented")

    def search(self, ctx: Context, query: str, limit: int) -> MaybeAwaitable[Sequence[FoundMemory]]:
        """At most `limit` memories, best first."""
        raise NotSupported("search is not implemented")

    def list(self, ctx: Context, limit: int, cursor: str | None) -> MaybeAwaitable[ListAnswer]:
        """A page of memories; `cursor` is what the page before gave, `None` for the first."""
        raise NotSupported("list is not implemented")

    def delete(self, ctx: Context, memory_id: str) -> MaybeAwaitable[Deletion | None]:
        """Delete a memory. `None` counts as done."""
        raise NotSupported("delete is not implemented")

    def delete_namespace(self, ctx: Context) -> MaybeAwaitable[HookReceipt]:
        """Remove all that the namespace holds."""
        raise NotSupported("delete_namespace is not implemented")

    def policy_events(self, events: Sequence[Any]) -> MaybeAwaitable[PolicyEventsAnswer]:
        """Take events of the temporal policy, in order; a bad one is rejected by its index.

        Capability `POLICY_EVENTS`.
        """
        raise NotSupported("policy_events is not implemented")

    def policy_query(self, query: PolicyQueryRequest) -> MaybeAwaitable[PolicyQueryAnswer]:
        """The facts of a session that hold. Capability `POLICY_QUERY`."""
        raise NotSupported("policy_query is not implemented")
