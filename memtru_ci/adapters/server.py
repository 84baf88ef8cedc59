"""An ASGI application that exposes any adapter over the HTTP contract, to the letter."""

import hmac
import json
import logging
import sys
from urllib.parse import parse_qsl, quote

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from memtru_ci.adapters.answers import ANSWERS, Incoming
from memtru_ci.adapters.base import MemoryAdapter
from memtru_ci.adapters.calls import Caller
from memtru_ci.adapters.effective import NOT_OFFERED, effective_capabilities
from memtru_ci.adapters.faults import AdapterFault
from memtru_ci.adapters.routes import find_route
from memtru_ci.contract import MAX_BODY_BYTES
from memtru_ci.contract.decode import ContractFault, decode
from memtru_ci.contract.messages import Problem
from memtru_ci.contract.operations import Operation

LONGEST_DETAIL = 500
"""Characters of an exception's message that a problem shows."""

_log = logging.getLogger(__name__)


class ProblemAnswer(Exception):
    """An error status with what it means for the caller."""

    def __init__(self, status: int, title: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        problem = Problem(title=title, status=status, detail=detail[:LONGEST_DETAIL])
        self.response = Response(
            problem.model_dump_json(),
            status,
            {name.replace("_", "-"): value for name, value in headers.items()},
            "application/problem+json",
        )


class AdapterApp:
    """The application; `adapter` is what it exposes. Its lifespan closes the adapter."""

    def __init__(self, adapter: MemoryAdapter, *, token: str | None = None) -> None:
        self.adapter = adapter
        self._token = token
        self._call = Caller(adapter)
        found = effective_capabilities(adapter)
        self._offered = frozenset(found.offered)
        for capability, why in found.dropped:
            print(f"{NOT_OFFERED}{capability}: {why}", file=sys.stderr, flush=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            response = await self._respond(Request(scope, receive))
            await response(scope, receive, send)

    async def close(self) -> None:
        """Close the adapter; for users of the application without a lifespan."""
        await self._call("close")

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _respond(self, request: Request) -> Response:
        try:
            return await self._perform(request)
        except ProblemAnswer as answer:
            return answer.response
        except ContractFault as fault:
            return ProblemAnswer(400, "Invalid request", str(fault)).response
        except AdapterFault as fault:
            return ProblemAnswer(fault.status, fault.title, str(fault)).response
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:
            _log.exception("%s %s failed", request.method, request.url.path)
            return ProblemAnswer(500, "The service failed", _described(error)).response

    async def _perform(self, request: Request) -> Response:
        raw_path = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
        route = find_route(request.method, raw_path.split(b"?")[0])
        if not route.allowed:
            raise ProblemAnswer(404, "Not found", "the contract has no such path")
        if route.operation is None:
            allowed = ", ".join(route.allowed)
            raise ProblemAnswer(405, "Method not allowed", f"use {allowed}", allow=allowed)
        self._admit(request, route.operation)
        incoming = Incoming(await _message(request, route.operation), route.key)
        status, body = await ANSWERS[route.operation.name](self._call, incoming)
        return _rendered(status, body)

    def _admit(self, request: Request, operation: Operation) -> None:
        """Let health checks pass without a token, and nothing else."""
        if self._token is not None and operation.name != "health":
            given = request.headers.get("authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
                detail = "a bearer token is needed, and this is not it"
                raise ProblemAnswer(401, "Unauthorized", detail, www_authenticate="Bearer")
        if operation.capability is not None and operation.capability not in self._offered:
            detail = f"{operation.capability} is not offered by this service"
            raise ProblemAnswer(501, "Not supported", detail)


def asgi_app(adapter: MemoryAdapter, *, token: str | None = None) -> AdapterApp:
    """The adapter behind the contract. With a `token`, callers must send it as a bearer token."""
    return AdapterApp(adapter, token=token)


async def _message(request: Request, operation: Operation) -> BaseModel | None:
    if operation.request is not None:
        return decode(operation.request, await _body(request))
    if operation.query is not None:
        return decode(operation.query, _query(request.url.query))
    return None


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            detail = f"a body may have {MAX_BODY_BYTES} bytes"
            raise ProblemAnswer(413, "Body too large", detail, connection="close")
    return bytes(body)


def _query(query: str) -> bytes:
    """The query parameters as the JSON that their model expects; a number may be one."""
    pairs = parse_qsl(query, errors="strict") if query else []
    values: dict[str, str | int] = {}
    for name, value in pairs:
        if name in values:
            raise ContractFault(name, "", "the parameter is given twice")
        is_number = name == "limit" and value.isascii() and value.isdigit() and len(value) < 10
        values[name] = int(value) if is_number else value
    return json.dumps(values).encode()


def _rendered(status: int, body: BaseModel | None) -> Response:
    if body is None:
        return Response(status_code=status)
    return Response(body.model_dump_json(), status, media_type="application/json")


def _described(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        return f"the adapter's answer breaks the contract: {field}: {first['msg']}"
    return f"{type(error).__name__}: {error}"
