"""The connection to an instance, which may be somewhere else after a restart."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from memtru_ci.errors import NotOffered, TargetLost
from memtru_ci.ports import ExchangeLog, MemoryService
from memtru_ci.services.dialect import (
    CONTRACT,
    Connection,
    Dialect,
    Pipe,
    PipedConnection,
    StdioDialect,
)


class Link:
    """One connection at a time; a service handed out follows it to the next."""

    def __init__(self, token: str | None = None, dialect: Dialect = CONTRACT) -> None:
        self._token = token
        self._dialect = dialect
        self._url = ""
        self._connection: Connection | None = None
        self._piped: PipedConnection | None = None

    async def is_healthy(self, url: str, health_path: str) -> bool:
        """Whether the service answers there; the link stays with the address that does."""
        if self._connection is None or self._url != url:
            await self.drop()
            self._url, self._connection = url, self._dialect.connect(url, token=self._token)
        return await self._connection.healthy(health_path)

    async def attach(self, open_pipe: Callable[[], Awaitable[Pipe]]) -> None:
        """Speak over the pipe of a process that starts after this."""
        await self.drop()
        if isinstance(self._dialect, StdioDialect):
            pipe = await open_pipe()
            self._connection = self._piped = self._dialect.connect_stdio(pipe)

    async def answers(self) -> bool:
        """Whether the process at the other end of the pipe is ready."""
        return self._connection is not None and await self._connection.healthy("")

    @property
    def trouble(self) -> str:
        """Why the last process that was attached to does not answer, where that is known."""
        return "" if self._piped is None else self._piped.trouble

    def keep(self, connection: Connection) -> None:
        """Use a connection that was made elsewhere."""
        self._connection = connection

    async def drop(self) -> None:
        """Close the connection: nothing of it may outlive the process at its other end."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, over whatever connection the link has when it is called."""
        return cast(MemoryService, _Following(self, log))

    def current(self, operation: str) -> Connection:
        """The connection of the moment.

        Raises `TargetLost` where there is none: a restart failed, or was cut short.
        """
        if self._connection is None:
            raise TargetLost(operation, "the instance is not running")
        return self._connection


class _Following:
    """Speaks over the link's connection of the moment."""

    def __init__(self, link: Link, log: ExchangeLog) -> None:
        self._link = link
        self._log = log
        self._on: Connection | None = None
        self._service: MemoryService | None = None

    def __getattr__(self, operation: str) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **named: Any) -> Any:
            method = getattr(self._speaking(operation), operation, None)
            if method is None:
                raise NotOffered(operation, "this kind of service has no such call", status=501)
            return await method(*args, **named)

        return call

    def _speaking(self, operation: str) -> MemoryService:
        connection = self._link.current(operation)
        if self._service is None or self._on is not connection:
            self._on, self._service = connection, connection.service(self._log)
        return self._service
