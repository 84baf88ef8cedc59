"""One session with an MCP server: a task of its own, in which the SDK's scopes live and end."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue, RootModel, ValidationError

from memtru_ci import __version__
from memtru_ci.domain.legible import legible
from memtru_ci.errors import innermost
from memtru_ci.services.http import Delivery
from memtru_ci.services.mcp.attempts import CURRENT, Attempt, Reply, RpcError

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

Streams: TypeAlias = "Callable[[], AbstractAsyncContextManager[TransportStreams]]"
Request: TypeAlias = "types.Request[Any, Any]"

CLOSE_S = 1.0
_CLIENT = types.Implementation(name="memtru-ci", version=__version__)


class _Raw(RootModel[dict[str, Any]]):
    """A result as it came: no output schema of the server's own is applied to it."""


# The SDK logs what servers send, which is hostile; all that matters of it is kept as evidence.
for _name in ("mcp", "client", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Session:
    """Begins with `start`; `aclose` always ends, whatever the server does.

    The requests that are `first` have to be answered before it counts as begun.
    """

    def __init__(self, streams: Streams, first: Sequence[Request] = ()) -> None:
        self.greeting: JsonValue = None
        """The server's answer to initialize."""
        self.trouble = "the session has not begun"
        self._streams = streams
        self._first = first
        self._sdk: ClientSession | None = None
        self._begun = anyio.Event()
        self._leave = anyio.Event()
        self._over = anyio.Event()
        self._scope = anyio.CancelScope()
        self._attempts: set[Attempt] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._leave.is_set() or self._over.is_set()

    def start(self) -> None:
        """Let it begin, in a task that no caller's cancelling can tear."""
        self._task = asyncio.create_task(self._live())

    async def begun(self, within_s: float) -> bool:
        """Whether the server has answered initialize, now or within so many seconds."""
        with anyio.move_on_after(within_s):
            await self._begun.wait()
        return self._sdk is not None and not self.is_over

    async def request(self, request: Request, deadline_s: float) -> Reply:
        """Send a request, once; `deadline_s` seconds later there is a reply of some kind."""
        sdk = self._sdk
        if sdk is None or self.is_over:
            return Reply(Delivery.NOT_SENT, trouble=self.trouble)
        attempt = Attempt()
        self._attempts.add(attempt)
        token = CURRENT.set(attempt)
        try:
            attempt.scope.deadline = anyio.current_time() + deadline_s
            with attempt.scope:
                return attempt.answered(await _answered(sdk, request))
        finally:
            CURRENT.reset(token)
            self._attempts.discard(attempt)
        return attempt.timed_out(deadline_s)

    def end_all(self, delivery: Delivery, trouble: str) -> None:
        """No request in flight will be answered."""
        for attempt in list(self._attempts):
            attempt.end(delivery, trouble)

    def doubt_all(self, what: str) -> None:
        """Something came that may be somebody's answer, and cannot be read."""
        for attempt in self._attempts:
            attempt.doubt = attempt.doubt or what

    def ended(self, trouble: str) -> None:
        """The server has hung up."""
        self.trouble = trouble
        self._leave.set()
        self.end_all(Delivery.NO_ANSWER, trouble)
        if self._sdk is None:
            self._scope.cancel()

    async def aclose(self) -> None:
        """End the session, within two seconds."""
        self.trouble = "the session was closed"
        self._leave.set()
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(CLOSE_S if self._sdk is not None else 0):
                await self._over.wait()
            self._scope.cancel()
            with anyio.move_on_after(CLOSE_S):
                await self._over.wait()

    async def _live(self) -> None:
        self.trouble = "the server has not answered initialize"
        try:
            with self._scope:
                async with (
                    self._streams() as (read, write),
                    ClientSession(read, write, client_info=_CLIENT) as sdk,
                ):
                    greeting = await sdk.initialize()
                    self.greeting = greeting.model_dump(
                        mode="json", by_alias=True, exclude_none=True
                    )
                    await self._make_ready(sdk)
                    self._sdk, self.trouble = sdk, ""
                    self._begun.set()
                    await self._leave.wait()
        except Exception as error:
            # Whatever the SDK makes of a hostile server is a fact about that server.
            if not self._leave.is_set():
                self.trouble = legible(f"the session failed: {_told(innermost(error))}")
        finally:
            self._leave.set()
            self._begun.set()
            self._over.set()

    async def _make_ready(self, sdk: ClientSession) -> None:
        for request in self._first:
            what = f"the first call of {request.params.name}" if request.params else request.method
            self.trouble = f"{what} was not answered"
            result = (await sdk.send_request(request, _Raw)).root
            if result.get("isError"):
                raise RuntimeError(f"{what} was refused: {json.dumps(result)}")


async def _answered(sdk: ClientSession, request: Request) -> Reply:
    try:
        result: JsonValue = (await sdk.send_request(request, _Raw)).root
        json.dumps(result, allow_nan=False)
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            return Reply(Delivery.NO_ANSWER, trouble=error.message)
        if error.code == types.PARSE_ERROR:
            return Reply(Delivery.MALFORMED, trouble=error.message)
        return Reply(Delivery.WHOLE, error=RpcError(error.code, error.message))
    except ValueError as error:
        return Reply(Delivery.MALFORMED, trouble=_told(error))
    return Reply(Delivery.WHOLE, result=result)


def _told(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        where = ".".join(str(one) for one in first["loc"])
        return f"the result is none by the protocol: {where}: {first['msg']}"
    return str(error) or type(error).__name__
