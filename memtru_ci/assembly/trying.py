"""Tries single operations, and keeps what came of each as a check."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from memtru_ci.assembly.diagnosis import Check, State, trouble_of
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Answer, Clock, Memory
from memtru_ci.trial.journal import Journal

T = TypeVar("T")
Read = Callable[[], Awaitable[Answer[Sequence[Memory]]]]

PAUSE_S = 0.2


class Attempts:
    """The checks so far; only what is in `offered` is tried."""

    def __init__(self, clock: Clock, window_s: float) -> None:
        self.offered: frozenset[str] = frozenset()
        self.checks: list[Check] = []
        self.journal = Journal(clock, (), lambda _: None)
        self._clock = clock
        self._window_s = window_s

    async def hook(
        self, name: str, of: Capability, call: Callable[[], Awaitable[Answer[HookReceipt]]]
    ) -> bool:
        """Try a lifecycle operation; false where it is not there, failed, or did not run."""
        receipt = await self.attempt(name, of, call, lambda one: one.detail or "it ran")
        if receipt is not None and not receipt.executed:
            self.fails(name, of, f"it says that it did not run: {receipt.detail}", ())
            return False
        return receipt is not None

    async def until(
        self,
        name: str,
        of: Capability,
        read: Read,
        is_so: Callable[[Sequence[Memory]], bool],
        what: str,
    ) -> bool:
        """Read until it is so, or the window is over."""
        if of not in self.offered:
            self.checks.append(Check(name, State.ABSENT, capability=of))
            return False
        ends_at = self._clock.now() + self._window_s
        while True:
            try:
                answer = await read()
            except ServiceError as problem:
                self.fails(name, of, str(problem), problem.steps)
                return False
            if is_so(answer.value):
                self.checks.append(Check(name, State.WORKS, what, of))
                return True
            if self._clock.now() >= ends_at:
                came = f"{told_count(answer.value)} came"
                why = f"not within {self._window_s:g} s: {what} ({came})"
                self.fails(name, of, why, answer.steps)
                return False
            await self._clock.sleep(PAUSE_S)

    async def attempt(
        self,
        name: str,
        of: Capability | None,
        call: Callable[[], Awaitable[Answer[T]]],
        told: Callable[[T], str],
    ) -> T | None:
        """Try an operation; null where it is not offered, or failed."""
        if of is not None and of not in self.offered:
            self.checks.append(Check(name, State.ABSENT, capability=of))
            return None
        try:
            answer = await call()
        except ServiceError as problem:
            self.fails(name, of, str(problem), problem.steps)
            return None
        self.checks.append(Check(name, State.WORKS, told(answer.value), of))
        return answer.value

    def fails(self, name: str, of: Capability | None, why: str, steps: tuple[int, ...]) -> None:
        """Keep that an operation does not work, with the last of these exchanges."""
        self.checks = [one for one in self.checks if one.operation != name]
        kept = {one.step: one for one in self.journal.evidence}
        trouble = trouble_of(kept.get(steps[-1]) if steps else None, why)
        self.checks.append(Check(name, State.FAILS, why, of, trouble))

    def untried(self, name: str, of: Capability, why: str) -> None:
        """Keep that an operation could not be tried."""
        state = State.UNTRIED if of in self.offered else State.ABSENT
        self.checks.append(Check(name, state, why if state is State.UNTRIED else "", of))


def told_count(memories: Sequence[Memory]) -> str:
    """How many results there are."""
    return "1 result" if len(memories) == 1 else f"{len(memories)} results"
