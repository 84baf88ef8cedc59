"""`python:PACKAGE.MODULE:CLASS`: a Python adapter, served in a process of its own."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import memtru_ci
from memtru_ci.errors import UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.targets.attendants import NOBODY, AttendantOptions, attending
from memtru_ci.targets.spawned import LOOPBACK, Program, SpawnedInstance, free_port, spawned
from memtru_ci.targets.surroundings import NOT_ISOLATED, environment, home

OPTIONS_VARIABLE = "MEMTRU_ADAPTER_OPTIONS"


class PythonTarget:
    """Implements `ports.Target`. Raises `UsageError` for options that are not plain data."""

    is_shared = False
    left_behind: Sequence[str] = ()

    def __init__(
        self,
        reference: str,
        options: Mapping[str, object] | None = None,
        ready_timeout_s: float = 60.0,
        env: Mapping[str, str] | None = None,
        attendants: AttendantOptions = NOBODY,
    ) -> None:
        self._reference = reference
        self._options = as_json(reference, options or {})
        self._ready_timeout_s = ready_timeout_s
        self._env = dict(env or {})
        self._not_offered: tuple[str, ...] = ()
        self._attendants = attendants

    @property
    def name(self) -> str:
        return f"python:{self._reference}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "python", notes=(NOT_ISOLATED, *self._not_offered))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[SpawnedInstance]:
        """Raises `TargetError`, with what Python said, where the adapter cannot be served."""
        async with attending(self._attendants, LOOPBACK) as attendants:
            with home() as folder:
                program = self._program(folder, free_port(), attendants.env)
                async with spawned(program, attendants) as instance:
                    self._not_offered = _told_not_offered(await instance.log())
                    yield instance

    async def aclose(self) -> None:
        """Nothing outlives its start."""

    def _program(self, folder: str, port: int, more: Mapping[str, str]) -> Program:
        named = {"PYTHONPATH": python_path(), OPTIONS_VARIABLE: self._options, **self._env, **more}
        argv = [sys.executable, "-m", "memtru_ci.adapters", self._reference, LOOPBACK, str(port)]
        env = environment(folder, named)
        return Program(self.name, argv, env, port, ready_timeout_s=self._ready_timeout_s)


def _told_not_offered(log: Sequence[str]) -> tuple[str, ...]:
    """What the adapter declares and does not implement, as its process said at its start."""
    from memtru_ci.adapters.effective import NOT_OFFERED

    return tuple(line for line in log if line.startswith(NOT_OFFERED))


def python_path() -> str:
    """Where the adapter and this package are found: the current folder first."""
    package = str(Path(memtru_ci.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join(dict.fromkeys([os.getcwd(), package, *filter(None, inherited)]))


def as_json(reference: str, options: Mapping[str, object]) -> str:
    """Raises `UsageError` for options that JSON cannot hold."""
    try:
        return json.dumps(dict(options))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"The options of python:{reference} are not plain data: {error}."
        ) from error
