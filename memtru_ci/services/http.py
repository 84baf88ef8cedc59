"""Bounded HTTP: one request, one fresh connection, one deadline, and never a second try."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum

import anyio
import httpx

from memtru_ci import __version__, sending
from memtru_ci.contract import MAX_BODY_BYTES, VERSION

CONTRACT_HEADERS = {"Memtru-Contract": VERSION}
"""What only services that speak the contract are sent."""

NO_HEADERS: Mapping[str, str] = {}

_CLOSE_S = 1.0

SMALL_BODY_BYTES = 256 * 1024
MOST_LARGE_BODIES = 4
"""So many larger bodies are read at a time: all surfaces of a look are asked at once."""


class Delivery(StrEnum):
    """How far a request and its answer came."""

    WHOLE = "whole"
    """The whole answer is there."""
    NOT_SENT = "not_sent"
    """No connection came about: the service cannot have seen the request."""
    NO_ANSWER = "no_answer"
    """It may have been seen, and no complete answer came."""
    MALFORMED = "malformed"
    """What came is not HTTP."""
    REFUSED = "refused"
    """The head of the answer came; its body is too long or in an encoding, and was not taken."""


@dataclass(frozen=True)
class Reply:
    """What came back; `trouble` says what was wrong, `body` may then be in part only."""

    delivery: Delivery
    status: int | None = None
    body: bytes = b""
    location: str = ""
    trouble: str = ""


class Channel:
    """Sends requests to one base address.

    It knows no proxies, cookies, redirects or credentials but its token, and reads nothing from
    the environment. No connection is kept: one that a restart cut would blur what was delivered.
    """

    def __init__(
        self,
        base: str,
        transport: httpx.AsyncBaseTransport | None = None,
        token: str | None = None,
        *,
        headers: Mapping[str, str] = CONTRACT_HEADERS,
    ) -> None:
        self._base = base
        self._transport = transport or _direct_transport()
        self._headers = _headers(token) | dict(headers)
        self._room = anyio.Semaphore(MOST_LARGE_BODIES)

    async def exchange(
        self,
        method: str,
        path: str,
        body: bytes | None,
        deadline_s: float,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> Reply:
        """Send one request; `deadline_s` seconds later there is a reply of some kind.

        Never raises for what the peer does.
        """
        attempt, manner = _Attempt(), sending.current()
        deadline_s = manner.deadline_s or deadline_s
        withholding = manner.withholding
        content: bytes | AsyncIterator[bytes] | None = body
        if body and withholding is not None and withholding.takes(body):
            content = withholding.parts(body)
        try:
            with anyio.fail_after(deadline_s):
                sent = _Sent(content, len(body or b""), headers)
                async with self._answered(method, path, sent, attempt) as response:
                    await attempt.take_body(response, self._room)
        except _BodyRefused as refused:
            return attempt.reply(Delivery.REFUSED, str(refused))
        except TimeoutError:
            return attempt.timed_out(deadline_s)
        except (httpx.HTTPError, OSError) as error:
            return attempt.failed(error)
        return attempt.reply(Delivery.WHOLE)

    async def status(
        self, path: str, deadline_s: float, headers: Mapping[str, str] = NO_HEADERS
    ) -> int | None:
        """The status at `path`; None where none came. The body is not read."""
        attempt = _Attempt()
        try:
            with anyio.fail_after(deadline_s):
                async with self._answered("GET", path, _Sent(None, 0, headers), attempt):
                    pass
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return None
        return attempt.status

    async def aclose(self) -> None:
        """Close what is open."""
        await self._transport.aclose()

    @asynccontextmanager
    async def _answered(
        self,
        method: str,
        path: str,
        sent: "_Sent",
        attempt: "_Attempt",
    ) -> AsyncIterator[httpx.Response]:
        headers = self._headers | dict(sent.headers)
        content = sent.content
        if content is not None:
            headers |= _JSON | {"content-length": str(sent.length)}
        request = httpx.Request(
            method,
            self._base + path,
            headers=headers,
            content=content,
            extensions={"trace": attempt.trace},
        )
        response = await self._transport.handle_async_request(request)
        try:
            attempt.status = response.status_code
            attempt.location = response.headers.get("location", "")
            yield response
        finally:
            with anyio.move_on_after(_CLOSE_S, shield=True):
                await response.aclose()


@dataclass(frozen=True)
class _Sent:
    """A body, whole or in parts, and the headers beside those of every request."""

    content: bytes | AsyncIterator[bytes] | None
    length: int
    headers: Mapping[str, str]


class _BodyRefused(Exception):
    """The body is not read any further."""


class _Attempt:
    """What has happened to one request so far."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.location = ""
        self._connecting = False
        self._body = bytearray()

    async def trace(self, event: str, _: object) -> None:
        """Follow the transport, so that a deadline knows whether the request was sent."""
        if event.startswith("connection."):
            self._connecting = True
        elif event.startswith("http11."):
            self._connecting = False

    async def take_body(self, response: httpx.Response, room: anyio.Semaphore) -> None:
        """Read the body up to its bound, a large one in its turn. Raises `_BodyRefused`."""
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        async with AsyncExitStack() as turn:
            async for chunk in response.aiter_raw():
                if chunk and encoding not in ("", "identity"):
                    raise _BodyRefused(f"content encoding {encoding!r} was not asked for")
                before = len(self._body)
                self._body += chunk[: MAX_BODY_BYTES + 1 - before]
                if len(self._body) > MAX_BODY_BYTES:
                    raise _BodyRefused(f"the body is longer than {MAX_BODY_BYTES} bytes")
                if before <= SMALL_BODY_BYTES < len(self._body):
                    await turn.enter_async_context(room)

    def reply(self, delivery: Delivery, trouble: str = "") -> Reply:
        return Reply(delivery, self.status, bytes(self._body), self.location, trouble)

    def timed_out(self, deadline_s: float) -> Reply:
        if self._connecting:
            return self.reply(Delivery.NOT_SENT, f"no connection within {deadline_s:g} s")
        return self.reply(Delivery.NO_ANSWER, f"no complete answer within {deadline_s:g} s")

    def failed(self, error: Exception) -> Reply:
        trouble = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if self._connecting or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return self.reply(Delivery.NOT_SENT, trouble)
        if isinstance(error, httpx.RemoteProtocolError) and not _was_cut(error):
            return self.reply(Delivery.MALFORMED, trouble)
        return self.reply(Delivery.NO_ANSWER, trouble)


def _was_cut(error: httpx.RemoteProtocolError) -> bool:
    """Whether the answer ended early, rather than held something wrong."""
    return str(error).startswith(("Server disconnected", "peer closed connection"))


def _direct_transport() -> httpx.AsyncBaseTransport:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.AsyncHTTPTransport(trust_env=False, retries=0, limits=limits)


_JSON = {"Content-Type": "application/json"}


def _headers(token: str | None) -> dict[str, str]:
    headers = {
        "Accept": "application/json, application/problem+json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": f"memtru-ci/{__version__}",
    }
    return headers if token is None else headers | {"Authorization": f"Bearer {token}"}
