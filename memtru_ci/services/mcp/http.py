"""Bounded HTTP below the SDK's own transport: no redirects, proxies, encodings, or second tries."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client

from memtru_ci import __version__
from memtru_ci.contract import MAX_BODY_BYTES, MAX_VALUES
from memtru_ci.contract.decode import is_too_rich, values_in
from memtru_ci.services.http import Delivery
from memtru_ci.services.mcp.attempts import CURRENT, Attempt

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

EVENTS = "text/event-stream"


@asynccontextmanager
async def http_streams(
    url: str, token: str | None, deadline_s: float
) -> "AsyncIterator[TransportStreams]":
    """The streams of messages that a session of the SDK reads and writes."""
    headers = {"Accept-Encoding": "identity", "User-Agent": f"memtru-ci/{__version__}"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    client = httpx2.AsyncClient(
        transport=Bounded(httpx2.AsyncHTTPTransport(trust_env=False, retries=0)),
        headers=headers,
        timeout=deadline_s,
        trust_env=False,
        follow_redirects=False,
        max_redirects=0,
    )
    async with (
        client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=MAX_BODY_BYTES
        ) as streams,
    ):
        yield streams


class Bounded(httpx2.AsyncBaseTransport):
    """Passes requests on, and tells their attempts how far they came.

    It answers with an error of its own where no answer comes: what a transport raises would end
    the session, and with it every other request in flight.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """See `httpx2`."""
        if (own := own_answer(request)) is not None:
            return own
        attempt = CURRENT.get() or Attempt()
        try:
            response = await self._inner.handle_async_request(request)
            return await bounded(response, attempt)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            attempt.end(Delivery.NOT_SENT, told(error))
        except httpx2.RemoteProtocolError as error:
            cut = str(error).startswith(("Server disconnected", "peer closed connection"))
            attempt.end(Delivery.NO_ANSWER if cut else Delivery.MALFORMED, told(error))
        except (httpx2.HTTPError, OSError) as error:
            attempt.end(Delivery.NO_ANSWER, told(error))
        except Refused as refused:
            attempt.end(Delivery.REFUSED, str(refused))
        return httpx2.Response(502)

    async def aclose(self) -> None:
        """Close what is open."""
        await self._inner.aclose()


class Refused(Exception):
    """An answer is not read any further."""


def own_answer(request: httpx2.Request) -> httpx2.Response | None:
    """Answers in place of the server what is never sent.

    Nothing is heard outside of requests, so no stream is opened for it; and no request is taken
    back, for a trial has to see what becomes of it.
    """
    if request.method == "GET" and "last-event-id" not in request.headers:
        return httpx2.Response(405)
    if request.method == "POST" and _takes_back(request.content):
        return httpx2.Response(202)
    return None


async def bounded(response: httpx2.Response, attempt: Attempt) -> httpx2.Response:
    """The answer, read whole up to its bound; a stream of events as it comes.

    Raises `Refused`, and what the transport raises.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        await response.aclose()
        raise Refused(f"content encoding {encoding!r} was not asked for")
    if 300 <= response.status_code < 400:
        await response.aclose()
        raise Refused(f"{response.status_code}, a redirect; none is followed")
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status_code < 300 and kind == EVENTS:
        return _with(response, stream=Events(response, attempt))
    try:
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk[: MAX_BODY_BYTES + 1 - len(body)]
            if len(body) > MAX_BODY_BYTES:
                raise Refused(f"the answer is longer than {MAX_BODY_BYTES} bytes")
    finally:
        with anyio.move_on_after(1, shield=True):
            await response.aclose()
    if is_too_rich(bytes(body)):
        raise Refused(f"the answer holds more than {MAX_VALUES} values")
    if response.status_code >= 400:
        attempt.status = response.status_code
    return _with(response, content=bytes(body))


class Events(httpx2.AsyncByteStream):
    """A stream of events that only ends: why, its attempt is told."""

    def __init__(self, response: httpx2.Response, attempt: Attempt) -> None:
        self._response = response
        self._attempt = attempt

    async def __aiter__(self) -> AsyncIterator[bytes]:
        came = values = 0
        try:
            async with aclosing(self._response.aiter_raw()) as chunks:
                async for chunk in chunks:
                    came, values = came + len(chunk), values + values_in(chunk)
                    if came > 2 * MAX_BODY_BYTES or values > MAX_VALUES:
                        what = f"over {MAX_BODY_BYTES} bytes, or {MAX_VALUES} values, came"
                        self._attempt.end(Delivery.REFUSED, what)
                        return
                    yield chunk
        except (httpx2.HTTPError, OSError) as error:
            self._attempt.end(Delivery.NO_ANSWER, told(error))

    async def aclose(self) -> None:
        with anyio.move_on_after(1, shield=True):
            await self._response.aclose()


def told(error: Exception) -> str:
    """An error of the transport in words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _with(
    response: httpx2.Response,
    *,
    content: bytes | None = None,
    stream: httpx2.AsyncByteStream | None = None,
) -> httpx2.Response:
    # The length is the new body's own, or none at all.
    dropped = ("content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.items() if name not in dropped]
    return httpx2.Response(response.status_code, headers=headers, content=content, stream=stream)


def _takes_back(body: bytes) -> bool:
    message = json.loads(body)
    return isinstance(message, dict) and message.get("method") == "notifications/cancelled"
