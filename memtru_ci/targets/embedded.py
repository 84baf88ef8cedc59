"""`embedded:[DEFECT]`: the reference service in this process, without a port."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from anyio import CancelScope, create_task_group, current_time
from anyio.abc import TaskGroup

from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.ports import ExchangeLog, HoldDriver, MemoryService, TargetFacts
from memtru_ci.targets.link import Link


class EmbeddedTarget:
    """Implements `ports.Target`. `options` are those of the reference service.

    Raises `UsageError` where it has no such defect.
    """

    is_shared = False
    left_behind: Sequence[str] = ()

    def __init__(self, defect: str | None = None, **options: Any) -> None:
        from memtru_ci.reference.options import Options

        self._defect = defect or None
        self._options = options
        Options.of(defect=self._defect, **options)

    @property
    def name(self) -> str:
        return f"embedded:{self._defect or ''}"

    def facts(self) -> TargetFacts:
        note = "the built-in reference service, in the gate's own process"
        return TargetFacts(self.name, "embedded", notes=(note,))

    @asynccontextmanager
    async def started(self) -> AsyncIterator["EmbeddedInstance"]:
        """A fresh service over a database of its own; raises `TargetError`.

        What goes wrong inside leaves as it is, not in the group that a task group makes of it.
        """
        failure: Exception | None = None
        with tempfile.TemporaryDirectory(prefix="memtru-") as folder:
            async with create_task_group() as tasks:
                instance = EmbeddedInstance(folder, self._defect, self._options, tasks)
                try:
                    await instance.open()
                    yield instance
                except Exception as error:
                    failure = error
                finally:
                    with CancelScope(shield=True):
                        await instance.close()
        if failure is not None:
            raise failure

    async def aclose(self) -> None:
        """Nothing outlives its start."""


class EmbeddedInstance:
    """Implements `ports.Instance`: a restart closes the database and opens it again."""

    can_restart = True

    def __init__(
        self, folder: str, defect: str | None, options: dict[str, Any], tasks: TaskGroup
    ) -> None:
        self._folder = folder
        self._defect = defect
        self._options = options
        self._tasks = tasks
        self._link = Link()
        self._started_at = ""

    def service(self, log: ExchangeLog) -> MemoryService:
        return self._link.service(log)

    can_hold = False

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        return None

    async def open(self) -> None:
        """Open the service over its folder. Raises `TargetError`."""
        from memtru_ci.reference.app import reference_app
        from memtru_ci.services.contract import connect_app

        self._started_at = datetime.now(UTC).isoformat()
        app = reference_app(self._folder, self._defect, **self._options)
        self._link.keep(await connect_app(app, self._tasks))

    async def restart(self) -> RestartReceipt:
        """Another service object over the same database; the process stays, so no pid is told."""
        old = self._started_at
        await self._link.drop()
        begun = current_time()
        await self.open()
        return RestartReceipt(
            provider="embedded",
            old_started_at=old,
            new_started_at=self._started_at,
            ready_ms=(current_time() - begun) * 1000,
        )

    async def autopsy(self) -> str:
        """It lives as long as the gate does."""
        return ""

    async def close(self) -> None:
        await self._link.drop()
