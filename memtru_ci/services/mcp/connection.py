"""The way to one MCP server, shared by all trials that meet it."""

from collections import deque
from functools import partial

import anyio
import mcp_types as types
from pydantic import JsonValue

from memtru_ci.ports import ExchangeLog, MemoryService
from memtru_ci.services.dialect import Pipe
from memtru_ci.services.http import Delivery
from memtru_ci.services.mcp.attempts import Reply
from memtru_ci.services.mcp.caller import Caller
from memtru_ci.services.mcp.calls import Calls
from memtru_ci.services.mcp.keys import Ready
from memtru_ci.services.mcp.mapping import McpMapping
from memtru_ci.services.mcp.service import McpMemoryService
from memtru_ci.services.mcp.session import Request, Session
from memtru_ci.services.rest.remembered import Remembered
from memtru_ci.services.rest.templates import rendered

HEALTH_DEADLINE_S = 2.0
"""A health check that takes longer says no."""
CLOSE_S = 1.0
STRAY_LINES = 20
"""Lines kept of what a server writes to its output that no message is."""


class McpConnection:
    """Implements `services.dialect.Connection`; the subclasses say how a session is opened."""

    def __init__(self, mapping: McpMapping, remembered: Remembered, deadline_s: float) -> None:
        self._mapping = mapping
        self._remembered = remembered
        self._deadline_s = deadline_s
        self._session: Session | None = None

    @property
    def trouble(self) -> str:
        """Why it does not answer, where that is known."""
        return "" if self._session is None else self._session.trouble

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, with its exchanges kept in `log`."""
        calls = Calls(self._send, log, self._deadline_s)
        greeting = None if self._session is None else self._session.greeting
        return McpMemoryService(Caller(self._mapping, calls, self._remembered), greeting)

    async def healthy(self, path: str) -> bool:
        """Whether the server has answered initialize, and lists its tools, soon."""
        deadline_s = min(HEALTH_DEADLINE_S, self._deadline_s)
        session = await self._opened()
        if not await session.begun(deadline_s):
            return False
        reply = await session.request(types.ListToolsRequest(), deadline_s)
        return reply.delivery is Delivery.WHOLE and reply.error is None

    async def aclose(self) -> None:
        """End the session, within two seconds."""
        session = self._session
        if session is not None:
            await session.aclose()

    async def _opened(self) -> Session:
        raise NotImplementedError

    def _first(self) -> list[Request]:
        """What has to be answered before the server is ready."""
        return [self._ready(one) for one in self._mapping.ready]

    def _ready(self, keys: Ready) -> Request:
        arguments = rendered(keys.arguments, dict(self._mapping.variables))
        given = arguments if isinstance(arguments, dict) else {}
        return _request("tools/call", {"name": keys.tool, "arguments": given})

    async def _send(
        self, method: str, parameters: dict[str, JsonValue], deadline_s: float
    ) -> Reply:
        if self._session is None:
            return Reply(Delivery.NOT_SENT, trouble="there is no session")
        return await self._session.request(_request(method, parameters), deadline_s)


class HttpConnection(McpConnection):
    """Streamable HTTP; a session that has failed is opened anew by the next health check."""

    def __init__(
        self,
        url: str,
        token: str | None,
        mapping: McpMapping,
        remembered: Remembered,
        deadline_s: float,
    ) -> None:
        super().__init__(mapping, remembered, deadline_s)
        self._url = url
        self._token = token

    async def _opened(self) -> Session:
        from memtru_ci.services.mcp.http import http_streams

        session = self._session
        if session is None or session.is_over:
            if session is not None:
                await session.aclose()
            streams = partial(http_streams, self._url, self._token, self._deadline_s)
            session = self._session = Session(streams, self._first())
            session.start()
        return session


class StdioConnection(McpConnection):
    """A process's standard input and output; it has one session, for as long as it lives."""

    def __init__(
        self, pipe: Pipe, mapping: McpMapping, remembered: Remembered, deadline_s: float
    ) -> None:
        super().__init__(mapping, remembered, deadline_s)
        self._pipe = pipe
        self._stray: deque[str] = deque(maxlen=STRAY_LINES)

    @property
    def trouble(self) -> str:
        """Why it does not answer, and what it wrote instead of messages."""
        stray = f"; on its output came: {self._stray[-1]!r}" if self._stray else ""
        return f"{super().trouble}{stray}"

    async def _opened(self) -> Session:
        from memtru_ci.services.mcp.stdio import Ears, stdio_streams

        if self._session is None:
            ears = Ears(self._on_stray, self._on_refused, self._on_end)
            streams = partial(stdio_streams, self._pipe, ears)
            self._session = Session(streams, self._first())
            self._session.start()
        return self._session

    async def aclose(self) -> None:
        """End the session and let go of the pipe, within three seconds."""
        await super().aclose()
        with anyio.move_on_after(CLOSE_S, shield=True):
            await self._pipe.aclose()

    def _on_stray(self, line: str, is_json: bool) -> None:
        self._stray.append(line)
        if is_json and self._session is not None:
            self._session.doubt_all(f"what came is no JSON-RPC message: {line}")

    def _on_refused(self, why: str) -> None:
        if self._session is not None:
            self._session.end_all(Delivery.REFUSED, why)

    def _on_end(self) -> None:
        if self._session is not None:
            self._session.ended("its standard output has ended")


def _request(method: str, parameters: dict[str, JsonValue]) -> Request:
    if method == "tools/list":
        return types.ListToolsRequest(
            params=types.PaginatedRequestParams.model_validate(parameters)
        )
    return types.CallToolRequest(params=types.CallToolRequestParams.model_validate(parameters))
