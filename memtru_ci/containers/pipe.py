"""The standard input and output of a container's main process, as a stream of bytes."""

import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from anyio.lowlevel import checkpoint

from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

HEADER_BYTES = 8
STDOUT = 1
MOST_BYTES = 65_536
"""Bytes taken from the engine at a time."""

_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Pipe:
    """What is sent goes to the process; what is received is its standard output, and no more.

    It begins where it was opened and ends with the process. `send` and `receive` raise
    `BrokenResourceError` and `EndOfStream` as streams of anyio do.
    """

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._socket: socket.socket = getattr(raw, "_sock", raw)
        self._socket.setblocking(False)
        self._frames = Frames()

    async def send(self, data: bytes) -> None:
        """Send all of it, for as long as the process takes it."""
        left = memoryview(data)
        while left:
            await checkpoint()
            try:
                left = left[self._socket.send(left) :]
            except _NOT_NOW as error:
                await _ready(self._socket, error, anyio.wait_writable)
            except OSError as error:
                raise anyio.BrokenResourceError from error

    async def receive(self) -> bytes:
        """The next bytes of its standard output."""
        while True:
            # Also where bytes are always there: nobody else would get a turn.
            await checkpoint()
            try:
                came = self._socket.recv(MOST_BYTES)
            except _NOT_NOW as error:
                await _ready(self._socket, error, anyio.wait_readable)
                continue
            except OSError as error:
                raise anyio.BrokenResourceError from error
            if not came:
                raise anyio.EndOfStream
            if output := self._frames.fed(came):
                return output

    async def aclose(self) -> None:
        """Let go of it; the process goes on. Whoever waits gets `ClosedResourceError`."""
        if self._socket.fileno() >= 0:
            anyio.notify_closing(self._socket)
        close(self._raw)
        await checkpoint()


class Frames:
    """Takes the engine's frames apart: eight bytes with stream and length, then the bytes."""

    def __init__(self) -> None:
        self._header = b""
        self._stream = 0
        self._left = 0

    def fed(self, data: bytes) -> bytes:
        """What of it the process has written to its standard output."""
        output = bytearray()
        at = 0
        while at < len(data):
            if self._left == 0:
                at = self._heading(data, at)
                continue
            piece = data[at : at + self._left]
            at, self._left = at + len(piece), self._left - len(piece)
            if self._stream == STDOUT:
                output += piece
        return bytes(output)

    def _heading(self, data: bytes, at: int) -> int:
        taken = data[at : at + HEADER_BYTES - len(self._header)]
        self._header += taken
        if len(self._header) == HEADER_BYTES:
            self._stream, self._left = self._header[0], int.from_bytes(self._header[4:], "big")
            self._header = b""
        return at + len(taken)


class Opening:
    """Opens a pipe in a worker thread, and leaves none behind where nobody takes it."""

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._raw: Any = None

    def open(self, client: "DockerClient") -> None:
        """Raises `EngineError` where the connection to the engine is of no use for it."""
        params = {"stdin": 1, "stdout": 1, "stderr": 0, "stream": 1, "logs": 0}
        self._raw = client.api.attach_socket(self._identity, params=params)
        if not isinstance(getattr(self._raw, "_sock", self._raw), socket.socket):
            self.give_up()
            raise EngineError(
                "Standard input and output cannot be reached over this connection to the engine.",
                hint="DOCKER_HOST must name a unix:// or tcp:// address.",
            )

    def taken(self) -> Pipe:
        """The pipe that was opened."""
        return Pipe(self._raw)

    def give_up(self) -> None:
        if self._raw is not None:
            close(self._raw)


def close(raw: Any) -> None:
    """Close what the library gave, down to its connection."""
    stream = getattr(raw, "_sock", raw)
    with suppress(OSError):
        stream.shutdown(socket.SHUT_RDWR)
    response = getattr(raw, "_response", None)
    for one in (response, raw, stream):
        if one is not None:
            with suppress(OSError, ValueError):
                one.close()


async def _ready(
    stream: socket.socket, error: Exception, usual: Callable[[socket.socket], Awaitable[None]]
) -> None:
    """Wait until it can go on; an encrypted connection may want the other direction."""
    wait = usual
    if isinstance(error, ssl.SSLWantReadError):
        wait = anyio.wait_readable
    elif isinstance(error, ssl.SSLWantWriteError):
        wait = anyio.wait_writable
    await wait(stream)
