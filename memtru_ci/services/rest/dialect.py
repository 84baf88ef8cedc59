"""Connects to services that are spoken to through a REST mapping."""

from typing import TYPE_CHECKING

from memtru_ci.ports import ExchangeLog, MemoryService
from memtru_ci.services.dialect import DEADLINE_S
from memtru_ci.services.rest.mapping import RestMapping
from memtru_ci.services.rest.remembered import Remembered
from memtru_ci.services.rest.templates import names_in

if TYPE_CHECKING:
    import httpx

    from memtru_ci.services.http import Channel

_HEALTH_PATH = "/health"
_HEALTH_DEADLINE_S = 2.0


class RestDialect:
    """A service's own REST API; implements `services.dialect.Dialect`.

    What was learnt of a namespace is kept here, so that it outlives a connection.
    """

    def __init__(
        self, mapping: RestMapping, *, transport: "httpx.AsyncBaseTransport | None" = None
    ) -> None:
        self._mapping = mapping
        self._transport = transport
        self._remembered = Remembered()

    def connect(
        self, base_url: str, *, token: str | None = None, deadline_s: float = DEADLINE_S
    ) -> "RestConnection":
        """See `Dialect`. A mapping whose headers name `{token}` sends no bearer token."""
        from memtru_ci.services.address import checked_base, checked_token
        from memtru_ci.services.http import NO_HEADERS, Channel

        checked = checked_token(token)
        bearer = None if _sends_token(self._mapping) else checked
        base = checked_base(base_url)
        channel = Channel(base, self._transport, bearer, headers=NO_HEADERS)
        return RestConnection(self._mapping, channel, self._remembered, checked, deadline_s)


class RestConnection:
    """The way to one instance; implements `services.dialect.Connection`."""

    def __init__(
        self,
        mapping: RestMapping,
        channel: "Channel",
        remembered: Remembered,
        token: str | None,
        deadline_s: float,
    ) -> None:
        self._mapping = mapping
        self._channel = channel
        self._remembered = remembered
        self._token = token
        self._deadline_s = deadline_s
        self._health_path = mapping.health or _HEALTH_PATH

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, with its exchanges kept in `log`."""
        from memtru_ci.services.exchanges import Exchanges
        from memtru_ci.services.rest.sender import Sender
        from memtru_ci.services.rest.service import RestMemoryService

        exchanges = Exchanges(self._channel, log, self._deadline_s)
        sender = Sender(self._mapping, exchanges, self._remembered, self._token)
        return RestMemoryService(sender, self._health_path)

    async def healthy(self, path: str) -> bool:
        """Whether it answers 200, soon, at the mapping's `health`, or else at `path`."""
        from memtru_ci.services.rest.mapped import headed

        self._health_path = self._mapping.health or path
        values = {**self._mapping.variables, "namespace": None, "token": self._token}
        headers = headed(self._mapping.headers, values)
        deadline_s = min(_HEALTH_DEADLINE_S, self._deadline_s)
        return await self._channel.status(self._health_path, deadline_s, headers) == 200

    async def aclose(self) -> None:
        """Close what is open."""
        await self._channel.aclose()


def _sends_token(mapping: RestMapping) -> bool:
    operations = (*mapping.operations.values(), *mapping.surfaces.values())
    headers = [mapping.headers, *(one.headers for one in operations)]
    return any("token" in names_in(text) for some in headers for text in some.values())
