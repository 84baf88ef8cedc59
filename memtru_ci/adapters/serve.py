"""Serves an ASGI application on a port until it is told to stop."""

import signal
import socket
import sys
from types import FrameType
from typing import TYPE_CHECKING

from memtru_ci.errors import UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

SHUTDOWN_GRACE_S = 2
"""Seconds that open requests get to end after SIGTERM."""


def run(app: "ASGIApp", host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT, then leave with exit code 0. Only for the main thread.

    Port 0 picks a free one. The address goes to stderr once the port is bound.
    Raises `UsageError` where it cannot be bound.
    """
    import uvicorn

    config = uvicorn.Config(
        app,
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
    )
    with _bound(host, port) as listener:
        # uvicorn raises the signal again once it has stopped; that must end the process cleanly.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _leave)
        print(f"listening on {_address(listener)}", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"Cannot listen on {host}:{port}: {error}.",
            hint="Choose another --port; 0 picks a free one.",
        ) from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)
