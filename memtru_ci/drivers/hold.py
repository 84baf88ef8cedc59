"""A write that the gate itself holds in flight: sent by one task, held by a mechanism."""

from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskGroup

from memtru_ci.domain.holding import HOLD, LEVELS, RELEASE
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.drivers.kept import Kept
from memtru_ci.drivers.mechanism import Facts, Grip, Mechanism
from memtru_ci.errors import MemtruError, NoAnswer, ServiceError
from memtru_ci.ports import Answer, ExchangeLog
from memtru_ci.sending import Sending, sending

ARRIVAL_S = 10.0
"""How long a write may take to arrive at the hold."""
ACCEPTED_S = 3.0
"""How long one may take that was answered already: it was queued, or never needed the hold."""
OUTCOME_S = 15.0
"""How long a released write may take to end."""
PATIENCE_S = 120.0
"""The deadline of a held write: longer than any hold."""
NOTHING_HELD = "nothing was held any more; did the service stop waiting for what was held?"

Write = Callable[[], Awaitable[Answer[str]]]


class GateHold:
    """Implements `ports.HoldDriver`. The write runs in `tasks`, which outlive the trial's calls.

    `on_end` is told the namespace of a write that has ended, and whether that was before its
    release: then what it led to may still go on.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        log: ExchangeLog,
        tasks: TaskGroup,
        on_end: Callable[[str, bool], None] = lambda namespace, is_early: None,
    ) -> None:
        self._mechanism = mechanism
        self._on_end = on_end
        self._log = log
        self._tasks = tasks
        self._grip: Grip | None = None
        self._write: _Write | None = None
        self._ended_early = False

    @property
    def mechanism(self) -> str:
        return self._mechanism.name

    async def begin(self, write: Write, secret: str, namespace: str) -> Answer[HookReceipt]:
        """See `ports.HoldDriver`; what is not held is released at once."""
        kept = self._kept(HOLD, namespace)
        try:
            grip = self._grip = await self._mechanism.grip(secret)
            self._write = _Write(write, grip.manner)
            self._tasks.start_soon(self._write.run)
            facts = await self._arrival(grip, self._write)
        except MemtruError as error:
            return kept.receipt({}, executed=False, detail=f"nothing could be held: {error}")
        if facts is None:
            await grip.release()
            return kept.receipt({}, executed=False, detail=self._why_not_held(self._write))
        return kept.receipt(facts, executed=True, detail=f"held by {self._told}")

    async def release(self, namespace: str) -> Answer[HookReceipt]:
        """See `ports.HoldDriver`."""
        kept = self._kept(RELEASE, namespace)
        self._ended_early = self._write is not None and self._write.ended.is_set()
        try:
            facts = await self._grip.release() if self._grip is not None else {}
        except MemtruError as error:
            return kept.receipt({}, executed=False, detail=f"it could not be released: {error}")
        count = facts.get("released", 0)
        released = count if isinstance(count, int) else 0
        detail = f"{released} request(s) let go" if released else NOTHING_HELD
        return kept.receipt(facts, executed=True, detail=detail, processed=released)

    async def outcome(self, namespace: str) -> Answer[str]:
        """See `ports.HoldDriver`."""
        if self._write is None:
            raise NoAnswer("the held write", "nothing was sent")
        with anyio.move_on_after(OUTCOME_S):
            await self._write.ended.wait()
        self._on_end(namespace, self._ended_early)
        return self._write.result()

    def _kept(self, operation: str, namespace: str) -> Kept:
        name = self._mechanism.name
        return Kept(self._log, operation, name, namespace, {"mechanism": name})

    @property
    def _told(self) -> str:
        name = self._mechanism.name.replace("_", " ")
        return f"the {name}, level {LEVELS[self._mechanism.name]}"

    async def _arrival(self, grip: Grip, write: "_Write") -> Facts | None:
        """What was seen at the hold; null where the write never came there."""
        facts: Facts | None = None

        async def arrive() -> None:
            nonlocal facts
            facts = await grip.arrived()
            waiting.cancel_scope.cancel()

        async def end() -> None:
            await write.ended.wait()
            with anyio.move_on_after(ACCEPTED_S if write.was_accepted else 0):
                await anyio.sleep_forever()
            waiting.cancel_scope.cancel()

        with anyio.move_on_after(ARRIVAL_S):
            async with anyio.create_task_group() as waiting:
                waiting.start_soon(arrive)
                waiting.start_soon(end)
        return facts

    def _why_not_held(self, write: "_Write") -> str:
        hint = self._mechanism.hint
        if not write.ended.is_set():
            return f"the write did not arrive at {self._told} within {ARRIVAL_S:g} s; {hint}"
        if write.was_accepted:
            return f"the write was done without coming to {self._told}; {hint}"
        return f"the write ended before it could be held: {write.problem}"


class _Write:
    """The write in its own task, and how it ended."""

    def __init__(self, write: Write, manner: Sending) -> None:
        self._call = write
        self._manner = Sending(manner.deadline_s or PATIENCE_S, manner.withholding)
        self._answer: Answer[str] | None = None
        self.problem: ServiceError | None = None
        self.ended = anyio.Event()

    @property
    def was_accepted(self) -> bool:
        return self._answer is not None

    async def run(self) -> None:
        try:
            with sending(self._manner):
                self._answer = await self._call()
        except ServiceError as problem:
            self.problem = problem
        finally:
            self.ended.set()

    def result(self) -> Answer[str]:
        if self._answer is not None:
            return self._answer
        if self.problem is not None:
            raise self.problem
        raise NoAnswer("the held write", f"no answer within {OUTCOME_S:g} s after its release")
