"""The lifecycle hooks: how an adapter lets the gate drive what happens after a delete."""

from collections.abc import Sequence

from memtru_ci.adapters.base import Context, MaybeAwaitable
from memtru_ci.adapters.faults import NotSupported
from memtru_ci.contract.messages import BackupReceipt, ChatMessage, Surface, SurfaceResult
from memtru_ci.domain.receipt import HookReceipt


class MemoryLifecycleHooks:
    """Inherit this beside `MemoryAdapter`, override the hooks you have, declare their capabilities.

    A hook drives the real mechanism, acts only inside `ctx.namespace`, and says in its receipt what
    it did: `executed=False` where the mechanism did not run, and every record it made in `created`.
    """

    def begin_pending_write(
        self, ctx: Context, content: str, target_id: str | None = None
    ) -> MaybeAwaitable[HookReceipt]:
        """Start a real write and hold it before it is applied; return while it is held.

        Capability `LIFECYCLE_PENDING_WRITES`.
        """
        raise NotSupported("begin_pending_write is not implemented")

    def release_pending_writes(self, ctx: Context) -> MaybeAwaitable[HookReceipt]:
        """Let held writes complete as the system would; `processed` says how many were dealt with.

        Capability `LIFECYCLE_PENDING_WRITES`.
        """
        raise NotSupported("release_pending_writes is not implemented")

    def record_conversation(
        self, ctx: Context, messages: Sequence[ChatMessage]
    ) -> MaybeAwaitable[HookReceipt]:
        """Append to the history of `ctx.thread_id`. Capability `LIFECYCLE_CONVERSATION`."""
        raise NotSupported("record_conversation is not implemented")

    def start_session(self, ctx: Context) -> MaybeAwaitable[HookReceipt]:
        """Begin a session, with its ingestion if it has one. Capability `LIFECYCLE_NEW_SESSION`."""
        raise NotSupported("start_session is not implemented")

    def consolidate(self, ctx: Context) -> MaybeAwaitable[HookReceipt]:
        """Run one ingestion or consolidation cycle. Capability `LIFECYCLE_CONSOLIDATE`."""
        raise NotSupported("consolidate is not implemented")

    def restart(self) -> MaybeAwaitable[HookReceipt]:
        """Restart the isolated instance, and only that. Capability `LIFECYCLE_RESTART`."""
        raise NotSupported("restart is not implemented")

    def backup(self, ctx: Context) -> MaybeAwaitable[BackupReceipt]:
        """Make a backup of the namespace and name it. Capability `LIFECYCLE_BACKUP`."""
        raise NotSupported("backup is not implemented")

    def restore(self, ctx: Context, backup_id: str) -> MaybeAwaitable[HookReceipt]:
        """Bring a backup back; deletions survive it. Capability `LIFECYCLE_BACKUP`."""
        raise NotSupported("restore is not implemented")

    def retrieval_surfaces(self) -> MaybeAwaitable[Sequence[Surface]]:
        """The surfaces beside search and list. Capability `LIFECYCLE_SURFACES`."""
        raise NotSupported("retrieval_surfaces is not implemented")

    def inspect_surface(
        self, ctx: Context, surface: str, query: str
    ) -> MaybeAwaitable[Sequence[SurfaceResult]]:
        """Read one of the surfaces as an agent would. Capability `LIFECYCLE_SURFACES`."""
        raise NotSupported("inspect_surface is not implemented")

    def delete_thread(self, ctx: Context) -> MaybeAwaitable[HookReceipt]:
        """Delete the conversation and checkpoints of a thread. Capability `THREAD_DELETE`."""
        raise NotSupported("delete_thread is not implemented")
