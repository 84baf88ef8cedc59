"""Connects to a memory service that speaks the HTTP contract."""

from collections.abc import Awaitable, Callable

import httpx
from anyio.abc import TaskGroup

from memtru_ci.contract.operations import HEALTH
from memtru_ci.ports import ExchangeLog, MemoryService
from memtru_ci.services.address import checked_base, checked_token
from memtru_ci.services.calls import Calls
from memtru_ci.services.dialect import DEADLINE_S
from memtru_ci.services.exchanges import Exchanges
from memtru_ci.services.http import Channel
from memtru_ci.services.lifespan import Application, Lifespan
from memtru_ci.services.service import ContractService

HEALTH_DEADLINE_S = 2.0
"""A health check that takes longer says no."""


class Connection:
    """The way to one service, shared by all trials that meet it. Close it with `aclose`."""

    def __init__(
        self,
        channel: Channel,
        deadline_s: float,
        on_close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._channel = channel
        self._deadline_s = deadline_s
        self._on_close = on_close

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, with its exchanges kept in `log`."""
        return ContractService(Calls(Exchanges(self._channel, log, self._deadline_s)))

    async def healthy(self, path: str = HEALTH.path) -> bool:
        """Whether the service answers 200 at `path`, soon. Never raises for what it does."""
        deadline_s = min(HEALTH_DEADLINE_S, self._deadline_s)
        return await self._channel.status(path, deadline_s) == 200

    async def aclose(self) -> None:
        """Close what is open; end the lifespan of an application in this process."""
        await self._channel.aclose()
        if self._on_close is not None:
            await self._on_close()


def connect(
    base_url: str,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
    token: str | None = None,
    deadline_s: float = DEADLINE_S,
) -> Connection:
    """A connection to the service at `base_url`; nothing is sent yet.

    Each call has `deadline_s` seconds, from its first byte to its last. Raises `UsageError` for an
    address or a token that cannot be used.
    """
    channel = Channel(checked_base(base_url), transport, checked_token(token))
    return Connection(channel, deadline_s)


async def connect_app(
    app: Application, tasks: TaskGroup, *, deadline_s: float = DEADLINE_S
) -> Connection:
    """A connection to an ASGI application in this process, after its startup; no port is used.

    Its lifespan runs in `tasks` until the connection is closed. Raises `TargetError` where it does
    not start, or does not end, within `deadline_s` seconds.
    """
    lifespan = Lifespan(app, deadline_s)
    await lifespan.start(tasks)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return Connection(Channel("http://embedded", transport), deadline_s, lifespan.stop)
