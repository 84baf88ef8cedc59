"""The correct reference service behind a layer that misbehaves, as a target of its own."""

import json
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Self

import anyio
from anyio.abc import TaskGroup

from memtru_ci.adapters.routes import find_route
from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.ports import ExchangeLog, MemoryService, TargetFacts
from memtru_ci.reference.app import reference_app
from memtru_ci.services.contract import connect_app
from memtru_ci.targets.link import Link

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]

SEARCH = "search"
LIST = "list"
RELEASE = "release_pending_writes"
INSPECT = "inspect_surface"
SURFACES = "retrieval_surfaces"
READS = (SEARCH, LIST, INSPECT)


@dataclass
class Asked:
    """One request, as far as a behaviour may look into it."""

    operation: str
    key: str
    raw_path: bytes
    query: bytes
    body: bytes

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body) if self.body else {}


@dataclass
class Told:
    """One answer."""

    status: int
    body: bytes = b""

    @classmethod
    def of(cls, value: Any, status: int = 200) -> Self:
        """An answer with JSON in its body."""
        return cls(status, json.dumps(value).encode())

    @classmethod
    def problem(cls, status: int, title: str, detail: str = "") -> Self:
        """An error answer."""
        return cls.of({"title": title, "detail": detail}, status)

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)

    def with_fields(self, **fields: Any) -> "Told":
        """The answer with some fields set."""
        return Told.of({**self.json, **fields}, self.status)


class Behaviour:
    """Well-behaved. A subclass changes requests on their way in, or answers on their way out."""

    options: ClassVar[dict[str, Any]] = {}
    """Of the reference service beneath."""
    can_restart = True

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self.last: dict[str, float] = {}
        self.starts = 0

    def opened(self) -> None:
        """The service was started, or started again."""
        self.starts += 1

    def note(self, operation: str) -> None:
        """An operation was answered."""
        self.answered[operation] += 1
        self.last[operation] = time.monotonic()

    async def before(self, asked: Asked) -> Told | None:
        """An answer in the service's place, or None; may change what was asked."""
        return None

    def after(self, asked: Asked, told: Told) -> Told:
        """The answer as it goes out."""
        return told


@dataclass
class Misbehaving:
    """An ASGI application around another one."""

    app: Any
    behaviour: Behaviour

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = await _asked(scope, receive)
        told = await self.behaviour.before(asked)
        if told is None:
            told = await self._forward(scope, asked)
        told = self.behaviour.after(asked, told)
        self.behaviour.note(asked.operation)
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": told.status, "headers": headers})
        await send({"type": "http.response.body", "body": told.body})

    async def _forward(self, scope: _Message, asked: Asked) -> Told:
        told = Told(0)
        changed = {**scope, "raw_path": asked.raw_path, "query_string": asked.query}
        changed["headers"] = [one for one in scope["headers"] if one[0] != b"content-length"]

        async def receive() -> _Message:
            return {"type": "http.request", "body": asked.body, "more_body": False}

        async def send(message: _Message) -> None:
            told.status = message.get("status", told.status)
            told.body += message.get("body", b"")

        await self.app(changed, receive, send)
        return told


async def _asked(scope: _Message, receive: _Receive) -> Asked:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    raw_path = scope["raw_path"].split(b"?")[0]
    route = find_route(scope["method"], raw_path)
    name = route.operation.name if route.operation else ""
    return Asked(name, route.key, raw_path, scope["query_string"], body)


class HostileTarget:
    """Implements `ports.Target`: one misbehaving service in this process."""

    is_shared = False
    left_behind: Sequence[str] = ()
    name = "embedded:"

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "embedded")

    @asynccontextmanager
    async def started(self) -> AsyncIterator["HostileInstance"]:
        with tempfile.TemporaryDirectory(prefix="memtru-hostile-") as folder:
            async with anyio.create_task_group() as tasks:
                instance = HostileInstance(folder, self._behaviour, tasks)
                await instance.open()
                try:
                    yield instance
                finally:
                    with anyio.CancelScope(shield=True):
                        await instance.close()

    async def aclose(self) -> None:
        """Nothing outlives its start."""


@dataclass
class HostileInstance:
    """Implements `ports.Instance`."""

    folder: str
    behaviour: Behaviour
    tasks: TaskGroup
    link: Link = field(default_factory=Link)
    started_at: str = ""

    @property
    def can_restart(self) -> bool:
        """Whether the gate can restart it, or only its own hook."""
        return self.behaviour.can_restart

    can_hold = False

    def hold(self, log: ExchangeLog) -> None:
        """Its own hook holds writes."""

    def service(self, log: ExchangeLog) -> MemoryService:
        return self.link.service(log)

    async def open(self) -> None:
        """Start the service over its folder."""
        self.started_at = datetime.now(UTC).isoformat()
        app = Misbehaving(reference_app(self.folder, **self.behaviour.options), self.behaviour)
        self.link.keep(await connect_app(app, self.tasks))
        self.behaviour.opened()

    async def restart(self) -> RestartReceipt:
        old = self.started_at
        await self.link.drop()
        await self.open()
        return RestartReceipt(
            provider="embedded", old_started_at=old, new_started_at=self.started_at, ready_ms=1.0
        )

    async def autopsy(self) -> str:
        return ""

    async def close(self) -> None:
        await self.link.drop()
