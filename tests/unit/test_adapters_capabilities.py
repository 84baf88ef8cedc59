"""What is declared and not implemented is dropped, and named."""

from memtru_ci.adapters import (
    Capability,
    Context,
    HookReceipt,
    MemoryAdapter,
    MemoryLifecycleHooks,
)
from memtru_ci.adapters.effective import effective_capabilities


class WithoutHooks(MemoryAdapter):
    """Declares what it cannot have."""

    def capabilities(self) -> list[Capability]:
        return [Capability.LIFECYCLE_NEW_SESSION, Capability.THREAD_DELETE, Capability.MEMORY_WRITE]

    def write(self, ctx: Context, content: str, metadata: object) -> str:
        return "1"


class HalfOfPendingWrites(MemoryAdapter, MemoryLifecycleHooks):
    """Can hold a write, and never let it go."""

    def capabilities(self) -> list[Capability]:
        return [Capability.LIFECYCLE_CONSOLIDATE, Capability.LIFECYCLE_PENDING_WRITES]

    def begin_pending_write(
        self, ctx: Context, content: str, target_id: str | None = None
    ) -> HookReceipt:
        return HookReceipt(executed=True)

    def consolidate(self, ctx: Context) -> HookReceipt:
        return HookReceipt(executed=True)


def test_hooks_are_dropped_from_an_adapter_that_does_not_inherit_them() -> None:
    found = effective_capabilities(WithoutHooks())
    assert found.offered == (Capability.MEMORY_WRITE,)
    reason = "WithoutHooks does not inherit MemoryLifecycleHooks"
    assert found.dropped == (
        (Capability.THREAD_DELETE, reason),
        (Capability.LIFECYCLE_NEW_SESSION, reason),
    )


def test_a_capability_is_dropped_when_one_of_its_methods_is_missing() -> None:
    found = effective_capabilities(HalfOfPendingWrites())
    assert found.offered == (Capability.LIFECYCLE_CONSOLIDATE,)
    assert found.dropped == (
        (
            Capability.LIFECYCLE_PENDING_WRITES,
            "HalfOfPendingWrites does not override release_pending_writes",
        ),
    )


def test_policy_is_dropped_as_no_call_serves_it() -> None:
    class Policy(WithoutHooks):
        def capabilities(self) -> list[Capability]:
            return [Capability.POLICY_QUERY]

    found = effective_capabilities(Policy())
    assert found.offered == ()
    assert found.dropped[0][0] is Capability.POLICY_QUERY
