"""An instance in a container: brought up, really restarted, and examined when it dies."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from anyio import CancelScope, current_time, move_on_after

from memtru_ci.containers import Engine, Reached, State
from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.errors import EngineError, TargetError
from memtru_ci.ports import ExchangeLog, HoldDriver, MemoryService
from memtru_ci.targets.approach import approach_of
from memtru_ci.targets.attendants import Attendants
from memtru_ci.targets.company import Company, company
from memtru_ci.targets.death import exit_in_words, told
from memtru_ci.targets.link import Link
from memtru_ci.targets.options import ContainerOptions, spec_of
from memtru_ci.targets.provisions import Provisions, jobs_in
from memtru_ci.targets.readiness import Waiting, confirmed, until_healthy

KILLED = 137
SETTLE_S = 5.0


@dataclass(frozen=True)
class Standing:
    """Whose the container is, and what may be done to it."""

    is_own: bool
    can_restart: bool


OWN = Standing(is_own=True, can_restart=True)
ALONE = Company()


class ContainerInstance:
    """Implements `ports.Instance` for a container on a Docker Engine."""

    def __init__(
        self,
        name: str,
        engine: Engine,
        reached: Reached,
        options: ContainerOptions,
        standing: Standing = OWN,
        beside: Company = ALONE,
    ) -> None:
        self.name = name
        self.beside = beside
        self.container = reached.container
        self._engine = engine
        self._reached = reached
        self._options = options
        self._standing = standing
        self._link = Link(options.token, options.dialect)
        worker = beside.sidecars.get(options.attendants.hold.sidecar)
        self._provisions = Provisions(
            beside.attendants,
            jobs_in(reached.container, options.jobs),
            worker.container if worker else None,
        )
        self._approach = approach_of(engine, reached, options, self._link)

    @property
    def attendants(self) -> Attendants:
        """What the gate runs beside it."""
        return self.beside.attendants

    @property
    def can_restart(self) -> bool:
        return self._standing.can_restart

    def service(self, log: ExchangeLog) -> MemoryService:
        return self._provisions.around(self._link.service(log), log)

    @property
    def can_hold(self) -> bool:
        return self._provisions.can_hold

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        return self._provisions.hold(log)

    async def start(self) -> None:
        """Start the container and wait for it. Raises `TargetError` and `EngineError`."""
        await self._approach.start()
        await self.wait("at its start")

    async def wait(self, when: str) -> float:
        """Wait until it is healthy; the milliseconds that took. Raises `TargetError`."""
        waiting = Waiting(
            self.name,
            self._options.ready_timeout_s,
            self._approach.is_healthy,
            self._death_or_worse,
            self._complaint,
        )
        return await until_healthy(waiting, when)

    async def restart(self) -> RestartReceipt:
        """Stop, inspect, start, wait until healthy, at whatever address it then has.

        It is healthy before it is stopped: a signal that comes before the process has its handler
        would be lost, and the whole grace with it.
        """
        grace_s = self._options.stop_grace_s
        return await self._cycled(
            lambda: self.container.stop(grace_s, abandon=self._standing.is_own), grace_s
        )

    async def crash(self) -> RestartReceipt:
        """Kill it as it is (SIGKILL), and start it again."""
        return await self._cycled(self.container.kill, None)

    async def autopsy(self) -> str:
        """How it or a sidecar died: exit code, want of memory, last log lines; else empty."""
        try:
            return await confirmed(self._any_death, self._approach.is_healthy)
        except EngineError as error:
            return f"its end could not be examined: {error.message}"

    async def close(self) -> None:
        await self._link.drop()

    async def _cycled(
        self, end: Callable[[], Awaitable[None]], grace_s: float | None
    ) -> RestartReceipt:
        if not self.can_restart:
            raise TargetError(f"{self.name} is not the gate's to restart.")
        await self.wait("before its restart")
        before = await self._state()
        await self._link.drop()
        stopped, took_s = await self._ended(end)
        begun = current_time()
        await self._approach.start()
        await self.wait("after its restart")
        ready_ms = (current_time() - begun) * 1000
        after = await self._state()
        return receipt_of(before, stopped, after, took_s, grace_s, ready_ms)

    async def _ended(self, end: Callable[[], Awaitable[None]]) -> tuple[State, float]:
        """Its state once it is stopped, and the seconds that took."""
        begun = current_time()
        try:
            await end()
            return await self._state(), current_time() - begun
        except BaseException:
            await self._give_back()
            raise

    async def _give_back(self) -> None:
        """Start a container of somebody else's again, which the gate has stopped."""
        if not self._standing.is_own:
            with CancelScope(shield=True), move_on_after(SETTLE_S):
                await self.container.start()

    async def _death(self) -> str:
        state = await self.container.state()
        if state is None:
            return "its container was removed by somebody else."
        if state.running:
            return ""
        log = await self._approach.log()
        return told(exit_in_words(state.exit_code, oom_killed=state.oom_killed), log)

    async def _any_death(self) -> str:
        deaths = [await self._death(), *await self.beside.obituaries()]
        return "\n".join(filter(None, deaths))

    async def _death_or_worse(self) -> str:
        """Its death; raises `TargetError` where only a sidecar has died."""
        obituaries = await self.beside.obituaries()
        if death := await self._death():
            return "\n".join([death, *obituaries])
        if obituaries:
            raise TargetError(f"{self.name} cannot go on. " + "\n".join(obituaries))
        return ""

    async def _complaint(self) -> TargetError:
        why = await self._approach.complaint(self.name)
        return TargetError("\n".join([why.message, *await self.beside.conditions()]), hint=why.hint)

    async def _state(self) -> State:
        state = await self.container.state()
        if state is None:
            raise TargetError(f"The container of {self.name} was removed by somebody else.")
        return state


def receipt_of(
    before: State,
    stopped: State,
    after: State,
    took_s: float,
    grace_s: float | None,
    ready_ms: float,
) -> RestartReceipt:
    """What was measured; without a grace it was killed at once, which is not outliving one."""
    outlived = grace_s is not None and stopped.exit_code == KILLED and took_s >= grace_s
    return RestartReceipt(
        provider="container",
        old_started_at=before.started_at,
        new_started_at=after.started_at,
        old_pid=before.pid,
        new_pid=after.pid,
        exit_code=stopped.exit_code,
        signal="SIGKILL" if grace_s is None else before.stop_signal,
        killed=outlived and not stopped.oom_killed,
        oom_killed=stopped.oom_killed,
        grace_s=grace_s,
        ready_ms=ready_ms,
    )


@asynccontextmanager
async def contained(
    name: str, engine: Engine, image: str, options: ContainerOptions
) -> AsyncIterator[ContainerInstance]:
    """A fresh container of the image, healthy, with all that is to be beside it.

    Everything of it is removed at the end.
    """
    async with company(engine, options, image) as (enclosure, beside):
        more = beside.attendants
        spec = spec_of(image, options, more.env)
        reached = await enclosure.create(spec, more.extra_hosts)
        instance = ContainerInstance(name, engine, reached, options, beside=beside)
        try:
            await instance.start()
            yield instance
        finally:
            with CancelScope(shield=True), move_on_after(SETTLE_S):
                await instance.close()
