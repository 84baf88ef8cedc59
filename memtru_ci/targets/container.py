"""`container:NAME`: attach to a container that already runs, a compose service for example."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from anyio import CancelScope, move_on_after

from memtru_ci.containers import Engine
from memtru_ci.errors import UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.services.dialect import StdioDialect
from memtru_ci.targets.attendants import attending
from memtru_ci.targets.company import Company
from memtru_ci.targets.contained import ContainerInstance, Standing
from memtru_ci.targets.options import ContainerOptions

SETTLE_S = 5.0


class ContainerTarget:
    """Implements `ports.Target`; the container is never killed or removed.

    It is restarted only with `allow_restart`, and not where it would be removed by that. Raises
    `UsageError` for a service that is spoken to on its standard input: that is its owner's.
    """

    is_shared = True

    def __init__(
        self,
        name: str,
        options: ContainerOptions,
        run_id: str,
        allow_restart: bool = False,
        engine: Engine | None = None,
    ) -> None:
        if isinstance(options.dialect, StdioDialect):
            raise UsageError(
                "`service.transport: stdio` needs a server that the gate itself starts.",
                hint="Name an `image:` or `build:` target, or set `service.transport: http`.",
            )
        self.engine = engine or Engine(run_id)
        self._container = name
        self._options = options
        self._allow_restart = allow_restart
        self._digest: str | None = None
        self._notes: tuple[str, ...] = ("attached: the gate did not isolate it",)

    @property
    def name(self) -> str:
        return f"container:{self._container}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "container", self._digest, self._notes)

    @asynccontextmanager
    async def started(self) -> AsyncIterator[ContainerInstance]:
        """Raises `TargetError` where it does not run or is not healthy, and `EngineError`."""
        async with (
            attending(self._options.attendants, "") as attendants,
            self.engine.attached(self._container) as reached,
        ):
            self._digest = reached.image_digest
            state = await reached.container.state()
            can_restart = self._allow_restart and not (state and state.is_removed_at_exit)
            self._notes = notes(self._allow_restart, can_restart)
            standing = Standing(is_own=False, can_restart=can_restart)
            instance = ContainerInstance(
                self.name, self.engine, reached, self._options, standing, Company({}, attendants)
            )
            try:
                await instance.wait("before it was met")
                yield instance
            finally:
                with CancelScope(shield=True), move_on_after(SETTLE_S):
                    await instance.close()

    @property
    def left_behind(self) -> Sequence[str]:
        return self.engine.left_behind

    async def aclose(self) -> None:
        """At the end of the run: close the connection to the engine."""
        await self.engine.aclose()


def notes(allowed: bool, can_restart: bool) -> tuple[str, ...]:
    """What a reader should know of a container that is somebody else's."""
    attached = "attached: the gate did not isolate it"
    if can_restart:
        return (attached, "allow_restart: the gate may restart it")
    if allowed:
        return (attached, "not restarted: its container is removed when it stops (--rm)")
    return (attached,)
