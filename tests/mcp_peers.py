"""MCP servers for tests: the fixture's notes over a pipe in memory, and peers that misbehave."""

import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from memtru_ci.services.mcp.connection import StdioConnection
from memtru_ci.services.mcp.mapping import McpMapping, McpService, resolved
from memtru_ci.services.rest.remembered import Remembered
from tests.fixtures.mcp_notes.server import Notes, answer

Peer = Callable[[dict[str, Any]], Iterable[bytes]]
"""What a server writes when it has taken a message. Raises `Hangup` to end."""

BELONGS = {"value": "scope", "prefix": "{namespace}"}
NOTES: dict[str, Any] = {
    "kind": "mcp",
    "operations": {
        "write": {
            "tool": "add_note",
            "arguments": {"scope": "{namespace}", "text": "{content}"},
            "id": "number",
        },
        "update": {
            "tool": "change_note",
            "arguments": {"number": "{id}", "text": "{content}"},
            "gone": ["There is no note {id}."],
        },
        "search": {
            "tool": "find_notes",
            "arguments": {"words": "{query}"},
            "results": "notes",
            "content": "text",
            "result_id": "number",
            "namespaced_by": BELONGS,
        },
        "list": {
            "tool": "list_notes",
            "arguments": {"scope": "{namespace}", "page": "{page}"},
            "results": "notes",
            "result_id": "number",
            "next": {"page": 1, "more": "more"},
            "read": {
                "tool": "read_note",
                "arguments": {"number": "{result_id}"},
                "source": "json_text",
                "content": "text",
                "gone": ["There is no note {result_id}."],
            },
        },
        "delete": {
            "tool": "drop_note",
            "arguments": {"number": "{id}"},
            "ok": "dropped",
            "gone": ["There is no note {id}."],
        },
    },
}


class Hangup(Exception):
    """The server ends."""


class FakePipe:
    """Standard input and output of a server that lives in the test; `taken` is what it was sent."""

    def __init__(self, peer: Peer) -> None:
        self.taken: list[dict[str, Any]] = []
        self.is_closed = False
        self._peer = peer
        self._write, self._read = anyio.create_memory_object_stream[bytes](1_000)

    async def send(self, data: bytes) -> None:
        for line in data.splitlines():
            message = json.loads(line)
            self.taken.append(message)
            try:
                for piece in self._peer(message):
                    await self._write.send(piece)
            except Hangup:
                self._write.close()

    async def receive(self) -> bytes:
        return await self._read.receive()

    async def aclose(self) -> None:
        self.is_closed = True
        self._write.close()
        self._read.close()

    @property
    def calls(self) -> list[str]:
        """The tools that were called, in order."""
        return [one["params"]["name"] for one in self.taken if one["method"] == "tools/call"]

    @property
    def methods(self) -> list[str]:
        return [one["method"] for one in self.taken]


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def notes_peer(notes: Notes | None = None) -> Peer:
    """The fixture's server."""
    kept = notes or Notes()

    def peer(message: dict[str, Any]) -> Iterable[bytes]:
        said = answer(kept, message)
        return [] if said is None else [line(said)]

    return peer


def at_calls(behave: Peer) -> Peer:
    """The fixture's server, but for what it does when a tool is called."""
    usual = notes_peer()

    def peer(message: dict[str, Any]) -> Iterable[bytes]:
        return behave(message) if message["method"] == "tools/call" else usual(message)

    return peer


def result(message: dict[str, Any], value: object) -> bytes:
    """An answer with structured content."""
    said = {"content": [], "structuredContent": value}
    return line({"jsonrpc": "2.0", "id": message["id"], "result": said})


def notes_mapping(**changes: object) -> McpMapping:
    return resolved(McpService.model_validate({**NOTES, **changes}))


@asynccontextmanager
async def connected(
    pipe: FakePipe, deadline_s: float = 5.0, mapping: McpMapping | None = None
) -> AsyncIterator[StdioConnection]:
    """A connection that is ready, and closed at the end."""
    connection = StdioConnection(pipe, mapping or notes_mapping(), Remembered(), deadline_s)
    try:
        assert await connection.healthy("")
        yield connection
    finally:
        await connection.aclose()
