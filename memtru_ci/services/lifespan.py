"""Runs the lifespan of an ASGI application that lives in this process."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import anyio
from anyio.abc import TaskGroup

from memtru_ci.domain.legible import legible
from memtru_ci.errors import TargetError

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
Application = Callable[[_Message, _Receive, _Send], Awaitable[None]]


class Lifespan:
    """Startup and shutdown of one application, each within `deadline_s` seconds."""

    def __init__(self, app: Application, deadline_s: float) -> None:
        self._app = app
        self._deadline_s = deadline_s
        self._started = anyio.Event()
        self._stopping = anyio.Event()
        self._ended = anyio.Event()
        self._scope = anyio.CancelScope()
        self._received = 0
        self._trouble = ""

    async def start(self, tasks: TaskGroup) -> None:
        """Start the application. Raises `TargetError` where it fails or takes too long."""
        tasks.start_soon(self._live)
        await self._reach(self._started, "start")

    async def stop(self) -> None:
        """Shut the application down. Raises `TargetError` where it fails or takes too long."""
        self._stopping.set()
        await self._reach(self._ended, "shut down")

    async def _reach(self, event: anyio.Event, aim: str) -> None:
        with anyio.move_on_after(self._deadline_s):
            await event.wait()
        if not event.is_set():
            self._scope.cancel()
            self._trouble = f"it took longer than {self._deadline_s:g} s"
        if self._trouble:
            raise TargetError(f"The application in this process did not {aim}: {self._trouble}.")

    async def _live(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}
        try:
            with self._scope:
                await self._app(scope, self._receive, self._send)
        except Exception as error:
            # An application is foreign code: whatever it raises is a fact about the target.
            self._trouble = legible(f"{type(error).__name__}: {error}")
        finally:
            if not self._started.is_set() and not self._trouble:
                self._trouble = "its lifespan ended before it had started"
            self._started.set()
            self._ended.set()

    async def _receive(self) -> _Message:
        self._received += 1
        if self._received == 1:
            return {"type": "lifespan.startup"}
        await self._stopping.wait()
        return {"type": "lifespan.shutdown"}

    async def _send(self, message: _Message) -> None:
        if message["type"].endswith(".failed"):
            self._trouble = legible(str(message.get("message", ""))) or "it said so"
        self._started.set()
