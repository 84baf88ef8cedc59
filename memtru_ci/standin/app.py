"""The stand-in as an ASGI application."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from memtru_ci.domain.legible import legible
from memtru_ci.domain.marker import folded
from memtru_ci.domain.vectors import MOST_DIMENSIONS
from memtru_ci.standin import chat, embeddings, models, responses
from memtru_ci.standin.body import JsonObject, Room, bytes_of, decoded, strings_in
from memtru_ci.standin.control import Control
from memtru_ci.standin.endpoints import Endpoint, endpoint_of, prompts_of
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.log import LoggedRequest
from memtru_ci.standin.rendering import Ticket

DIMENSIONS = 1536
_LONGEST_PATH = 200
_SMALL_BODY = 64 * 1024
_RETRIES = "x-stainless-retry-count"
"""The header in which OpenAI's clients count their retries."""

_complaints = logging.getLogger(__name__)

Returned = TypeVar("Returned")


class StandIn:
    """The application. `dimensions` is the length of vectors whose request names none."""

    def __init__(self, control: Control | None = None, *, dimensions: int = DIMENSIONS) -> None:
        if not 1 <= dimensions <= MOST_DIMENSIONS:
            raise ValueError(f"vectors have 1 to {MOST_DIMENSIONS} dimensions, not {dimensions}")
        self.control = control or Control()
        self._dimensions = dimensions
        self._room = Room()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            visit = _Visit(self.control, self._room, self._dimensions, Request(scope, receive))
            await visit.perform(receive, send)


class _Visit:
    """One request, from its head to its answer."""

    def __init__(self, control: Control, room: Room, dimensions: int, request: Request) -> None:
        self._control = control
        self._room = room
        self._taken = 0
        self._dimensions = dimensions
        self._request = request
        self._path = legible(request.scope["path"], _LONGEST_PATH)
        self._started_at = control.now()
        self._logged: LoggedRequest | None = None

    async def perform(self, receive: Receive, send: Send) -> None:
        status: int | None = None
        try:
            response = await self._response(receive)
            if response is not None:
                await response(self._request.scope, receive, send)
                status = response.status_code
        except ClientDisconnect:
            self._log(None)
        finally:
            self._room.give_back(self._taken)
            if self._logged is not None:
                self._control.log.ended(self._logged, status)

    def _take(self, count: int) -> None:
        self._taken += count
        self._room.take(count)

    async def _response(self, receive: Receive) -> Response | None:
        try:
            return await self._answer(receive)
        except ApiFault as fault:
            self._log(None)
            # What is left of a refused body is not read, so the connection is of no more use.
            is_last = {"connection": "close"} if fault.status in (408, 413, 503) else None
            return _json(fault.body, fault.status, is_last)
        except ClientDisconnect:
            raise
        except Exception as error:
            _complaints.exception("the model stand-in could not answer %s", self._path)
            return _json(ApiFault(500, f"The stand-in failed: {type(error).__name__}.").body, 500)

    async def _answer(self, receive: Receive) -> Response | None:
        """The answer; None where the client has left. Raises `ApiFault`."""
        raw = await bytes_of(self._request, self._take)
        try:
            endpoint = endpoint_of(self._request.method, self._path)
            body = {} if endpoint.kind in ("models", "model") else await _run(raw, decoded, raw)
        except ApiFault:
            self._log(raw)
            raise
        logged = self._log(raw, await _run(raw, lambda: list(prompts_of(endpoint.kind, body))))
        texts = await _run(raw, _folded, body) if self._control.wants_texts else []
        if not await self._control.admit(logged, texts, receive):
            return None
        return await _run(raw, self._said, endpoint, body, logged)

    def _said(self, endpoint: Endpoint, body: JsonObject, logged: LoggedRequest) -> Response:
        ticket = Ticket(logged.body_hash, logged.number)
        try:
            match endpoint.kind:
                case "chat":
                    return _rendered(chat.complete(body, ticket))
                case "responses":
                    return _rendered(responses.respond(body, ticket))
                case "embeddings":
                    return _json(embeddings.embed(body, self._dimensions))
                case "models":
                    return _json(models.models())
                case "model":
                    return _json(models.model(endpoint.name))
        except RecursionError:
            raise ApiFault(400, "The body is nested too deeply.") from None

    def _log(self, body: bytes | None, prompts: Sequence[str] = ()) -> LoggedRequest:
        """Keep the request in the log, once."""
        if self._logged is None:
            count = self._request.headers.get(_RETRIES, "0")
            self._logged = self._control.log.add(
                self._request.method[:_LONGEST_PATH],
                self._path,
                self._started_at,
                body,
                prompts=prompts,
                is_counted_as_retry=count.isdecimal() and count.strip("0") != "",
            )
        return self._logged


async def _run(raw: bytes, work: Callable[..., Returned], *arguments: object) -> Returned:
    """Do the work here, or in a thread where a large body would keep everybody waiting."""
    if len(raw) <= _SMALL_BODY:
        return work(*arguments)
    return await to_thread.run_sync(lambda: work(*arguments))


def _folded(body: JsonObject) -> list[str]:
    return [folded(one) for one in strings_in(body)]


def _rendered(answer: JsonObject | list[bytes]) -> Response:
    if isinstance(answer, list):
        return StreamingResponse(_each(answer), media_type="text/event-stream")
    return _json(answer)


async def _each(events: Sequence[bytes]) -> AsyncIterator[bytes]:
    for one in events:
        yield one


def _json(body: JsonObject, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(body), status, headers, "application/json")
