"""A scripted REST service in this process, and a mapped service that speaks to it."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import httpx

from memtru_ci.services.rest.dialect import RestConnection, RestDialect
from memtru_ci.services.rest.mapping import RestService, resolved
from memtru_ci.services.rest.service import RestMemoryService
from tests.unit.raw_service import KeptExchanges

Scope = MutableMapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """A request as the service saw it."""

    line: str
    body: Any
    headers: dict[str, str]


Answering = Callable[[Seen], tuple[int, Any]]


class RestApp:
    """Answers each request with status and JSON (bytes as they are), and keeps what it saw."""

    def __init__(self, *answers: tuple[int, Any] | Answering) -> None:
        self.seen: list[Seen] = []
        self._answers = answers

    @property
    def lines(self) -> list[str]:
        return [one.line for one in self.seen]

    @property
    def bodies(self) -> list[Any]:
        return [one.body for one in self.seen]

    async def __call__(
        self,
        scope: Scope,
        receive: Callable[[], Awaitable[Scope]],
        send: Callable[[Scope], Awaitable[None]],
    ) -> None:
        raw, more = b"", True
        while more:
            part = await receive()
            raw += part.get("body", b"")
            more = part.get("more_body", False)
        query = f"?{scope['query_string'].decode()}" if scope["query_string"] else ""
        line = f"{scope['method']} {scope['raw_path'].decode()}{query}"
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.seen.append(Seen(line, json.loads(raw) if raw else None, headers))
        answer = self._answers[min(len(self.seen), len(self._answers)) - 1]
        status, body = answer(self.seen[-1]) if callable(answer) else answer
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": content})


OPERATIONS: dict[str, Any] = {
    "write": {
        "method": "POST",
        "path": "/v1/{namespace}/notes",
        "body": {"text": "{content}"},
        "id": "note.id",
    },
    "update": {
        "method": "PATCH",
        "path": "/v1/{namespace}/notes/{id}",
        "body": {"text": "{content}"},
    },
    "search": {
        "method": "GET",
        "path": "/v1/{namespace}/find",
        "query": {"q": "{query}", "top": "{limit}"},
        "results": "hits",
        "content": "text",
        "result_id": "id",
    },
    "list": {
        "method": "GET",
        "path": "/v1/{namespace}/notes",
        "results": "notes",
        "content": "text",
        "result_id": "id",
    },
    "delete": {"method": "DELETE", "path": "/v1/{namespace}/notes/{id}"},
}


def mapping_of(operations: dict[str, Any] | None = None, **keys: Any) -> RestService:
    """A mapping of a notes service, with operations laid over the usual ones, by their keys."""
    mapped = {**OPERATIONS}
    for name, changed in (operations or {}).items():
        mapped[name] = None if changed is None else {**OPERATIONS.get(name, {}), **changed}
    given = {"kind": "rest", "name": "notes", "operations": mapped, **keys}
    return RestService.model_validate(given)


def connected(
    app: RestApp, mapping: RestService | None = None, token: str | None = None
) -> RestConnection:
    """A connection to the application through a mapping."""
    dialect = RestDialect(
        resolved(mapping or mapping_of()),
        transport=httpx.ASGITransport(app),  # type: ignore[arg-type]
    )
    return dialect.connect("http://notes", token=token)


def spoken_to(
    app: RestApp, mapping: RestService | None = None, log: KeptExchanges | None = None
) -> RestMemoryService:
    """The service behind a new connection."""
    service = connected(app, mapping).service(log or KeptExchanges())
    assert isinstance(service, RestMemoryService)
    return service
