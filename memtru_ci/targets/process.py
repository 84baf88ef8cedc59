"""`process:COMMAND`: a command of this machine, run without a shell."""

import os
import shlex
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

from anyio import CancelScope, move_on_after

from memtru_ci.errors import UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.targets.spawned import Program, SpawnedInstance

SETTLE_S = 5.0
NOTE = "a process of this machine: not isolated by the gate"


class ProcessTarget:
    """Implements `ports.Target`. Raises `UsageError` for a command that cannot be split."""

    is_shared = False

    def __init__(
        self,
        command: str,
        port: int,
        env: Mapping[str, str] | None = None,
        health_path: str = "/health",
        ready_timeout_s: float = 60.0,
        stop_grace_s: float = 10.0,
        token: str | None = None,
    ) -> None:
        self._command = command
        self._argv = split(command)
        self._env = dict(env or {})
        self._port = port
        self._health_path = health_path
        self._ready_timeout_s = ready_timeout_s
        self._stop_grace_s = stop_grace_s
        self._token = token

    @property
    def name(self) -> str:
        return f"process:{self._command}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "process", notes=(NOTE,))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[SpawnedInstance]:
        """Raises `TargetError` where the port is taken, or the process does not come up."""
        with home() as folder:
            env = environment(folder, {"PORT": str(self._port), **self._env})
            async with spawned(self._program(env)) as instance:
                yield instance

    async def aclose(self) -> None:
        """Nothing outlives its start."""

    def _program(self, env: Mapping[str, str]) -> Program:
        return Program(
            self.name,
            self._argv,
            env,
            self._port,
            self._health_path,
            self._ready_timeout_s,
            self._stop_grace_s,
            self._token,
        )


@asynccontextmanager
async def spawned(program: Program) -> AsyncIterator[SpawnedInstance]:
    """A healthy process; its whole group is killed at the end."""
    instance = SpawnedInstance(program)
    try:
        await instance.start()
        yield instance
    finally:
        with CancelScope(shield=True), move_on_after(SETTLE_S):
            await instance.close()


@contextmanager
def home() -> Iterator[str]:
    """A folder of its own as HOME, so that nothing of the user's is read or written."""
    folder = tempfile.mkdtemp(prefix="memtru-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: str, named: Mapping[str, str]) -> dict[str, str]:
    """PATH, HOME, and what was named; nothing else of the gate's own environment."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, **named}


def split(command: str) -> list[str]:
    """The command's words. Raises `UsageError`."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"The command {command!r} cannot be split: {error}.") from error
    if not words:
        raise UsageError("The target process: names no command.")
    return words
