"""Serves the stand-in on an address of the gate, for as long as a block lasts."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyio import CancelScope, Event, create_task_group, move_on_after

from memtru_ci.errors import InfrastructureError
from memtru_ci.standin.app import DIMENSIONS, StandIn
from memtru_ci.standin.control import Control

if TYPE_CHECKING:
    import uvicorn

STOP_DEADLINE_S = 2.0
_GRACE_S = 1
_MOST_CONNECTIONS = 512


@dataclass(frozen=True)
class ModelServer:
    """A stand-in that listens: its `url` without a path, and its control side."""

    url: str
    control: Control


@asynccontextmanager
async def serving(
    control: Control | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    dimensions: int = DIMENSIONS,
) -> AsyncIterator[ModelServer]:
    """A stand-in on an address of this machine; port 0 picks a free one.

    It runs in the current event loop and is gone within `STOP_DEADLINE_S` of the block's end, also
    where answers are held. What goes wrong inside leaves as it is. Raises `InfrastructureError`
    where it cannot listen.
    """
    app = StandIn(control, dimensions=dimensions)
    failure: Exception | None = None
    with _listening(host, port) as listener:
        async with create_task_group() as tasks:
            running = _Running(app)
            tasks.start_soon(running.serve, listener)
            try:
                await running.started.wait()
                yield ModelServer(_url(listener), app.control)
            except Exception as error:
                failure = error
            finally:
                app.control.close()
                with CancelScope(shield=True):
                    await running.stop()
                tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


class _Running:
    """uvicorn without its signals: those belong to the gate."""

    def __init__(self, app: StandIn) -> None:
        self.started = Event()
        self._ended = Event()
        self._server = _server(app, self.started)

    async def serve(self, listener: socket.socket) -> None:
        try:
            await self._server.serve(sockets=[listener])
        finally:
            self.started.set()
            self._ended.set()

    async def stop(self) -> None:
        self._server.should_exit = True
        with move_on_after(STOP_DEADLINE_S):
            await self._ended.wait()


def _server(app: StandIn, started: Event) -> "uvicorn.Server":
    import uvicorn

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started.set()

    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        access_log=False,
        log_config=None,
        log_level="critical",
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_S,
    )
    return Server(config)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise InfrastructureError(
            f"The model stand-in cannot listen on {host}:{port}: {error}.",
            hint="Is the address one of this machine, and the port free?",
        ) from error


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
