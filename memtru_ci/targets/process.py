"""`process:COMMAND`: a command of this machine, run without a shell."""

import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from memtru_ci.errors import UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.services.dialect import CONTRACT, Dialect
from memtru_ci.targets.attendants import NOBODY, AttendantOptions, attending
from memtru_ci.targets.spawned import LOOPBACK, Program, SpawnedInstance, spawned
from memtru_ci.targets.surroundings import NOT_ISOLATED, environment, home


class ProcessTarget:
    """Implements `ports.Target`. Raises `UsageError` for a command that cannot be split."""

    is_shared = False
    left_behind: Sequence[str] = ()

    def __init__(
        self,
        command: str,
        port: int,
        env: Mapping[str, str] | None = None,
        health_path: str = "/health",
        ready_timeout_s: float = 60.0,
        stop_grace_s: float = 10.0,
        token: str | None = None,
        dialect: Dialect = CONTRACT,
        attendants: AttendantOptions = NOBODY,
    ) -> None:
        self._command = command
        self._argv = split(command)
        self._env = dict(env or {})
        self._port = port
        self._health_path = health_path
        self._ready_timeout_s = ready_timeout_s
        self._stop_grace_s = stop_grace_s
        self._token = token
        self._dialect = dialect
        self._attendants = attendants

    @property
    def name(self) -> str:
        return f"process:{self._command}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "process", notes=(NOT_ISOLATED,))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[SpawnedInstance]:
        """Raises `TargetError` where the port is taken, or the process does not come up."""
        async with attending(self._attendants, LOOPBACK) as attendants:
            with home() as folder:
                named = {"PORT": str(self._port), **self._env, **attendants.env}
                program = self._program(environment(folder, named))
                async with spawned(program, attendants) as instance:
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
            self._dialect,
        )


def split(command: str) -> list[str]:
    """The command's words. Raises `UsageError`."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"The command {command!r} cannot be split: {error}.") from error
    if not words:
        raise UsageError("The target process: names no command.")
    return words
