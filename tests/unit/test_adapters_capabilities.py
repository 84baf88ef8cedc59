"""What is declared and not implemented is dropped, and named."""

import pytest

from memtru_ci.adapters import (
    Capability,
    Context,
    HookReceipt,
    MemoryAdapter,
    MemoryLifecycleHooks,
)
from memtru_ci.adapters.effective import effective_capabilities
from memtru_ci.adapters.server import asgi_app
from memtru_ci.errors import UsageError


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


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (["MEMORY_LST"], 'Did you mean "MEMORY_LIST"?'),
        (["NOPE"], "There are: MEMORY_WRITE"),
        (3, "capabilities() failed: TypeError"),
    ],
)
def test_what_is_no_capability_is_said_with_what_there_is(declared: object, expected: str) -> None:
    class Wrong(WithoutHooks):
        def capabilities(self) -> list[Capability]:
            return declared  # type: ignore[return-value]

    with pytest.raises(UsageError) as caught:
        effective_capabilities(Wrong())
    assert expected in str(caught.value)


def test_an_adapter_that_names_no_capabilities_is_told_so() -> None:
    with pytest.raises(UsageError, match=r"must say its capabilities\(\)"):
        effective_capabilities(MemoryAdapter())


def test_a_server_says_what_is_not_offered(capsys: pytest.CaptureFixture[str]) -> None:
    asgi_app(WithoutHooks())
    assert capsys.readouterr().err.splitlines() == [
        "not offered: THREAD_DELETE: WithoutHooks does not inherit MemoryLifecycleHooks",
        "not offered: LIFECYCLE_NEW_SESSION: WithoutHooks does not inherit MemoryLifecycleHooks",
    ]
