"""A service on a loopback port that answers with any bytes a test wants, and keeps requests."""

import asyncio
import json
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Self

from memtru_ci.domain.evidence import Exchange

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class RawService:
    """Takes a whole request, counts it, and behaves; each connection serves one request."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.requests: list[bytes] = []
        self._behaviours = behaviours
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    @property
    def lines(self) -> list[str]:
        """The request line of each request, without the protocol."""
        return [one.decode().split(" HTTP/1.1")[0] for one in self.requests]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            self.requests.append(await _request(reader))
            number = min(len(self.requests), len(self._behaviours)) - 1
            await self._behaviours[number](writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line[15:])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        ),
        0,
    )
    return head + await reader.readexactly(length)


def says(raw: bytes) -> Behaviour:
    """Writes these bytes and closes."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()

    return behave


def answers(body: object, status: int = 200, headers: str = "") -> Behaviour:
    """Answers with JSON, or with `body` itself where it is bytes."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n{headers}\r\n"
    return says(head.encode() + content)


def repeats(start: bytes, piece: bytes, gap_s: float = 0) -> Behaviour:
    """Writes `start`, and then `piece` again and again until the client is gone."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(gap_s)

    return behave


def resets_after(start: bytes) -> Behaviour:
    """Writes `start` and resets the connection."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        await writer.drain()
        await asyncio.sleep(0.02)
        lasting = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lasting)
        writer.transport.abort()

    return behave


class KeptExchanges:
    """An `ExchangeLog` that keeps everything; its time is a counter."""

    def __init__(self) -> None:
        self.kept: list[Exchange] = []
        self._steps = 0
        self._now = 0.0

    def next_step(self) -> int:
        self._steps += 1
        return self._steps

    def now_ms(self) -> float:
        self._now += 1
        return self._now

    def keep(self, exchange: Exchange) -> None:
        self.kept.append(exchange)
