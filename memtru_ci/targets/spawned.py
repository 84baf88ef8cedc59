"""An instance in a process of the gate's own machine, at a port of the loopback interface."""

import errno
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from anyio import CancelScope, current_time, move_on_after

from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.errors import TargetError
from memtru_ci.ports import ExchangeLog, HoldDriver, MemoryService
from memtru_ci.services.dialect import CONTRACT, Dialect
from memtru_ci.targets.attendants import NONE, Attendants
from memtru_ci.targets.child import Child
from memtru_ci.targets.death import exit_in_words, shown, told
from memtru_ci.targets.link import Link
from memtru_ci.targets.provisions import Provisions
from memtru_ci.targets.readiness import Waiting, confirmed, until_healthy

LOOPBACK = "127.0.0.1"
LOG_LINES = 50
CLOSE_S = 7.0
"""Longer than the end of a killed process may take."""


@dataclass(frozen=True)
class Program:
    """What is to be run; times in seconds."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    port: int
    health_path: str = "/health"
    ready_timeout_s: float = 60.0
    stop_grace_s: float = 10.0
    token: str | None = None
    dialect: Dialect = CONTRACT


class SpawnedInstance:
    """Implements `ports.Instance` for a process that the gate starts, ends and kills."""

    can_restart = True

    def __init__(self, program: Program, attendants: Attendants = NONE) -> None:
        self.attendants = attendants
        self._provisions = Provisions(attendants)
        self._program = program
        self._child: Child | None = None
        self._link = Link(program.token, program.dialect)

    def service(self, log: ExchangeLog) -> MemoryService:
        return self._provisions.around(self._link.service(log), log)

    @property
    def can_hold(self) -> bool:
        return self._provisions.can_hold

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        return self._provisions.hold(log)

    async def start(self) -> None:
        """Raises `TargetError` where the port is taken, or the process does not come up."""
        refuse_taken(self._program)
        await self._begin("at its start")

    async def restart(self) -> RestartReceipt:
        """SIGTERM, its grace, SIGKILL where it outlives that; then a new process."""
        await self._wait("before its restart")
        old, grace_s = self._living(), self._program.stop_grace_s
        killed = await old.end(grace_s)
        return await self._renewed(old, signal="SIGTERM", killed=killed, grace_s=grace_s)

    async def crash(self) -> RestartReceipt:
        """SIGKILL without a warning; then a new process."""
        old = self._living()
        await old.kill()
        return await self._renewed(old, signal="SIGKILL", killed=False, grace_s=None)

    async def autopsy(self) -> str:
        """Exit code and last output; empty while it lives."""
        return await confirmed(self._death, self._is_healthy)

    async def log(self) -> list[str]:
        """The last lines of its output."""
        return await self._living().log_tail(LOG_LINES)

    async def close(self) -> None:
        """Kill the whole group, and close the connection."""
        if self._child is not None:
            await self._child.kill()
        await self._link.drop()

    async def _renewed(
        self, old: Child, *, signal: str, killed: bool, grace_s: float | None
    ) -> RestartReceipt:
        await self._link.drop()
        begun = current_time()
        new = await self._begin("after its restart")
        return RestartReceipt(
            provider="process",
            old_started_at=old.started_at,
            new_started_at=new.started_at,
            old_pid=old.pid,
            new_pid=new.pid,
            exit_code=old.exit_code,
            signal=signal,
            killed=killed,
            grace_s=grace_s,
            ready_ms=(current_time() - begun) * 1000,
        )

    async def _begin(self, when: str) -> Child:
        self._child = Child(self._program.argv, self._program.env)
        await self._wait(when)
        return self._child

    async def _wait(self, when: str) -> None:
        waiting = Waiting(
            self._program.name,
            self._program.ready_timeout_s,
            self._is_healthy,
            self._death,
            self._complaint,
        )
        await until_healthy(waiting, when)

    async def _death(self) -> str:
        child = self._living()
        code = child.exit_code
        if code is None:
            return ""
        return told(exit_in_words(code), await child.log_tail(LOG_LINES))

    async def _is_healthy(self) -> bool:
        url = f"http://{LOOPBACK}:{self._program.port}"
        return await self._link.is_healthy(url, self._program.health_path)

    async def _complaint(self) -> TargetError:
        log = await self._living().log_tail(LOG_LINES)
        program = self._program
        return TargetError(
            f"{program.name} runs, but GET {program.health_path} at {LOOPBACK}:{program.port} did "
            f"not answer 200 within {program.ready_timeout_s:g} s{shown(log)}",
            hint="The process must listen at the port that the target names; PORT tells it.",
        )

    def _living(self) -> Child:
        if self._child is None:
            raise TargetError(f"{self._program.name} has not been started.")
        return self._child


def refuse_taken(program: Program) -> None:
    """Raises `TargetError` where somebody else has the port: they would be tested instead."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, program.port))
        except OSError as error:
            reason = (
                "is taken by another process"
                if error.errno == errno.EADDRINUSE
                else f"cannot be used: {error}"
            )
            raise TargetError(
                f"{program.name} was not started: port {program.port} {reason}.",
                hint="Choose another port, or end what listens there.",
            ) from error


def free_port() -> int:
    """A port of the loopback interface that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def spawned(
    program: Program, attendants: Attendants = NONE
) -> AsyncIterator[SpawnedInstance]:
    """A healthy process; its whole group is killed at the end."""
    instance = SpawnedInstance(program, attendants)
    try:
        await instance.start()
        yield instance
    finally:
        with CancelScope(shield=True), move_on_after(CLOSE_S):
            await instance.close()
