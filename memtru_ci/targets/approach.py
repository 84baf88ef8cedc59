"""How the gate comes to a server in a container: at an address, or on its standard input."""

from typing import Protocol

from memtru_ci.containers import Container, Engine, Reached
from memtru_ci.errors import TargetError
from memtru_ci.services.dialect import StdioDialect
from memtru_ci.targets.death import shown
from memtru_ci.targets.link import Link
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.reachability import why_not_healthy


class Approach(Protocol):
    """The way to one container's server, over all its starts."""

    async def start(self) -> None:
        """Start the container, so that its server can be met. Raises `EngineError`."""
        ...

    async def is_healthy(self) -> bool:
        """Whether the server answers."""
        ...

    async def complaint(self, name: str) -> TargetError:
        """Why it does not, although it lives."""
        ...

    async def log(self) -> list[str]:
        """Its last log lines."""
        ...


class ByAddress:
    """HTTP at the port that the options name, at whatever address the container has."""

    def __init__(
        self, engine: Engine, reached: Reached, options: ContainerOptions, link: Link
    ) -> None:
        self._engine = engine
        self._reached = reached
        self._options = options
        self._link = link

    async def start(self) -> None:
        await self._reached.container.start()

    async def is_healthy(self) -> bool:
        for address in await self._engine.addresses(self._reached):
            url = f"http://{address}:{self._options.port}"
            if await self._link.is_healthy(url, self._options.health_path):
                return True
        return False

    async def complaint(self, name: str) -> TargetError:
        addresses = await self._engine.addresses(self._reached)
        approach = self._reached.approach
        return await why_not_healthy(name, addresses, approach, self._options, await self.log())

    async def log(self) -> list[str]:
        return await self._reached.container.log_tail(self._options.log_lines)


class ByStdio:
    """Standard input and output of the main process; only standard error is its log."""

    def __init__(self, container: Container, options: ContainerOptions, link: Link) -> None:
        self._container = container
        self._options = options
        self._link = link

    async def start(self) -> None:
        """The pipe is there before the server is: nothing that it writes is missed."""
        await self._link.attach(self._container.attach)
        await self._container.start()

    async def is_healthy(self) -> bool:
        return await self._link.answers()

    async def complaint(self, name: str) -> TargetError:
        late = f"{name} runs, but was not healthy within {self._options.ready_timeout_s:g} s"
        trouble = self._link.trouble or "it does not list its tools"
        return TargetError(
            f"{late}: {trouble}{shown(await self.log())}",
            hint="With `service.transport: stdio` the container's main process must be the MCP "
            "server itself, and write nothing but messages to its standard output.",
        )

    async def log(self) -> list[str]:
        return await self._container.log_tail(self._options.log_lines, stdout=False)


def approach_of(
    engine: Engine, reached: Reached, options: ContainerOptions, link: Link
) -> Approach:
    """The way that the service's dialect takes."""
    if isinstance(options.dialect, StdioDialect):
        return ByStdio(reached.container, options, link)
    return ByAddress(engine, reached, options, link)
