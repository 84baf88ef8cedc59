"""How a kind of service is spoken to: the seam between targets and the services' own APIs."""

from typing import Protocol, runtime_checkable

from memtru_ci.ports import ExchangeLog, MemoryService

DEADLINE_S = 10.0
"""Seconds that a call may take, unless it is said otherwise."""


class Connection(Protocol):
    """The way to one instance, shared by all trials that meet it. Close it with `aclose`."""

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, with its exchanges kept in `log`."""
        ...

    async def healthy(self, path: str) -> bool:
        """Whether the service is ready. Never raises for what it does."""
        ...

    async def aclose(self) -> None:
        """Close what is open."""
        ...


class Dialect(Protocol):
    """An API that the gate can speak: the contract, or a service's own."""

    def connect(
        self, base_url: str, *, token: str | None = None, deadline_s: float = DEADLINE_S
    ) -> Connection:
        """A connection to the service at `base_url`; nothing is sent yet.

        Raises `UsageError` for an address or a token that cannot be used.
        """
        ...


class Pipe(Protocol):
    """A process's standard input and output, with the errors of anyio's streams."""

    async def send(self, data: bytes) -> None:
        """Send all of it. Raises `BrokenResourceError` where the process is gone."""
        ...

    async def receive(self) -> bytes:
        """The next bytes of its output. Raises `EndOfStream` at its end."""
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...


class PipedConnection(Connection, Protocol):
    """A connection over a pipe."""

    @property
    def trouble(self) -> str:
        """Why the process does not answer, where that is known."""
        ...


@runtime_checkable
class StdioDialect(Protocol):
    """An API that is spoken on the server's standard input and output; needs no address."""

    def connect_stdio(self, pipe: Pipe, *, deadline_s: float = DEADLINE_S) -> PipedConnection:
        """A connection to the process that begins at the other end; it closes the pipe."""
        ...


class ContractDialect:
    """The HTTP contract, version 1.0."""

    def connect(
        self, base_url: str, *, token: str | None = None, deadline_s: float = DEADLINE_S
    ) -> Connection:
        """See `Dialect`."""
        from memtru_ci.services.contract import connect

        return connect(base_url, token=token, deadline_s=deadline_s)


CONTRACT: Dialect = ContractDialect()
