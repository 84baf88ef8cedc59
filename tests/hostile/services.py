"""The reference service behind a layer that changes its answers: odd and hostile services."""

import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.ports import ExchangeLog, MemoryService, TargetFacts
from memtru_ci.reference.app import reference_app
from memtru_ci.services.contract import Connection, connect_app

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass
class Answer:
    """An answer on its way out: its request's method and path, its status and JSON body."""

    method: str
    path: str
    status: int
    body: Any
    raw: bytes | None = None
    """Sent as it is, in place of the body."""


@dataclass
class Seen:
    """What has happened so far, for layers that act from an event on."""

    paths: list[str] = field(default_factory=list)

    def has(self, part: str, method: str = "") -> bool:
        """Whether a request to such a path was answered before."""
        return any(part in one and one.startswith(method) for one in self.paths)


Change = Callable[[Answer, Seen], None]


class Layer:
    """An ASGI application around another one."""

    def __init__(self, app: Any, change: Change, delay_s: float) -> None:
        self._app = app
        self._change = change
        self._delay_s = delay_s
        self._seen = Seen()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let the service answer, change the answer, and send it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await anyio.sleep(self._delay_s)
        parts: list[Message] = []

        async def keep(message: Message) -> None:
            parts.append(message)

        await self._app(scope, receive, keep)
        await self._send_changed(scope, parts, send)

    async def _send_changed(self, scope: Message, parts: list[Message], send: Send) -> None:
        whole = b"".join(one.get("body", b"") for one in parts)
        body = json.loads(whole) if whole else None
        answer = Answer(scope["method"], scope["path"], parts[0]["status"], body)
        self._change(answer, self._seen)
        self._seen.paths.append(f"{answer.method} {answer.path}")
        content = answer.raw
        if content is None:
            content = b"" if answer.body is None else json.dumps(answer.body).encode()
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": content})


class OddTarget:
    """Implements `ports.Target`: a fresh odd service for each scenario; a restart reopens it."""

    is_shared = False
    name = "embedded:odd"

    def __init__(
        self, change: Change, *, delay_s: float = 0.0, can_restart: bool = True, **options: Any
    ) -> None:
        self.change = change
        self.delay_s = delay_s
        self.can_restart = can_restart
        self.options = options
        self.left_behind: list[str] = []

    def facts(self) -> TargetFacts:
        """Nothing that a test reads."""
        return TargetFacts(self.name, "embedded")

    async def aclose(self) -> None:
        """There is nothing to give back."""

    @asynccontextmanager
    async def started(self) -> AsyncIterator["OddInstance"]:
        """Serve it in this process until the block ends."""
        with tempfile.TemporaryDirectory() as folder:
            async with anyio.create_task_group() as tasks:
                instance = OddInstance(self, folder, tasks)
                await instance.open()
                try:
                    yield instance
                finally:
                    with anyio.CancelScope(shield=True):
                        await instance.connection.aclose()
                        tasks.cancel_scope.cancel()


class OddInstance:
    """Implements `ports.Instance`."""

    connection: Connection

    def __init__(self, target: OddTarget, folder: str, tasks: Any) -> None:
        self.can_restart = target.can_restart
        self._target = target
        self._folder = folder
        self._tasks = tasks
        self._opened = 0

    async def open(self) -> None:
        """Open the database and serve it."""
        target = self._target
        app = reference_app(self._folder, **target.options)
        layer = Layer(app, target.change, target.delay_s)
        self.connection = await connect_app(layer, self._tasks, deadline_s=10.0)
        self._opened += 1

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service as it is now."""
        return self.connection.service(log)

    async def restart(self) -> RestartReceipt:
        """Close and reopen."""
        await self.connection.aclose()
        before = str(self._opened)
        await self.open()
        return RestartReceipt(
            provider="embedded",
            old_started_at=before,
            new_started_at=str(self._opened),
            ready_ms=0.0,
        )

    async def autopsy(self) -> str:
        """It never dies."""
        return ""
