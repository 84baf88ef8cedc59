"""MCP over a process's standard input and output, one JSON-RPC message a line."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from memtru_ci.contract import MAX_BODY_BYTES, MAX_VALUES
from memtru_ci.contract.decode import is_too_rich
from memtru_ci.domain.legible import legible
from memtru_ci.services.dialect import Pipe
from memtru_ci.services.mcp.lines import Lines

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

WAITING_MESSAGES = 256
"""Messages of the gate's that may wait until the server takes them."""
MOST_REQUESTS = 100
"""Requests of the server's own that are answered; what it sends beyond is dropped."""
SHOWN = 160

Heard: TypeAlias = "MemoryObjectSendStream[SessionMessage | Exception]"


@dataclass(frozen=True)
class Ears:
    """Is told what comes besides messages: other lines, what is not taken, and the end."""

    stray: Callable[[str, bool], None]
    """A line that no message is, and whether it looks as if it should be one."""
    refused: Callable[[str], None]
    """A message that is not taken, and why."""
    ended: Callable[[], None]


@asynccontextmanager
async def stdio_streams(pipe: Pipe, ears: Ears) -> "AsyncIterator[TransportStreams]":
    """The streams of messages that a session of the SDK reads and writes."""
    heard, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, out = anyio.create_memory_object_stream[SessionMessage](WAITING_MESSAGES)
    async with heard, read, write, out, anyio.create_task_group() as tasks:
        tasks.start_soon(_receive, pipe, heard, ears)
        tasks.start_soon(_send, pipe, out)
        try:
            yield read, write
        finally:
            tasks.cancel_scope.cancel()


async def _receive(pipe: Pipe, heard: Heard, ears: Ears) -> None:
    hearing = _Hearing(ears)
    try:
        async with heard:
            while True:
                for message in hearing.messages(await pipe.receive()):
                    await heard.send(SessionMessage(message))
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        ears.ended()


async def _send(pipe: Pipe, out: MemoryObjectReceiveStream[SessionMessage]) -> None:
    try:
        async for one in out:
            if not is_cancellation(one.message):
                line = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                await pipe.send(line.encode() + b"\n")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        # The end of its output tells the same, and everybody who waits.
        return


def is_cancellation(message: JSONRPCMessage) -> bool:
    """Whether it takes a request back: none is, for a trial has to see what becomes of it."""
    return isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled"


class _Hearing:
    """Finds the messages that matter in what a server writes."""

    def __init__(self, ears: Ears) -> None:
        self._ears = ears
        self._lines = Lines(MAX_BODY_BYTES)
        self._requests = 0

    def messages(self, data: bytes) -> list[JSONRPCMessage]:
        found = (self._message(line) for line in self._lines.fed(data))
        return [one for one in found if one is not None]

    def _message(self, line: bytes | None) -> JSONRPCMessage | None:
        if line is None:
            self._ears.refused(f"a message longer than {MAX_BODY_BYTES} bytes came")
            return None
        if is_too_rich(line):
            self._ears.refused(f"a message of more than {MAX_VALUES} values came")
            return None
        if not line.strip():
            return None
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            text = legible(line[: 4 * SHOWN].decode("utf-8", "replace"), SHOWN)
            self._ears.stray(text, line.lstrip()[:1] in (b"{", b"["))
            return None
        return message if self._matters(message) else None

    def _matters(self, message: JSONRPCMessage) -> bool:
        """Notifications do not; a flood of them or of requests costs nothing."""
        if isinstance(message, JSONRPCRequest):
            self._requests += 1
            return self._requests <= MOST_REQUESTS
        return not isinstance(message, JSONRPCNotification)
