"""MCP over streamable HTTP: a real server, and servers that misbehave on the wire."""

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any

import anyio
import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from memtru_ci.contract import MAX_BODY_BYTES
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NoSuchRecord,
    ProviderError,
    TargetLost,
    UsageError,
)
from memtru_ci.services.dialect import Connection
from memtru_ci.services.mcp.dialect import McpHttpDialect, McpStdioDialect
from tests.fixtures.mcp_notes.server import TOOLS, Notes
from tests.mcp_peers import notes_mapping
from tests.unit.raw_service import (
    Behaviour,
    KeptExchanges,
    RawService,
    answers,
    repeats,
    resets_after,
    says,
)

pytestmark = pytest.mark.anyio

DEADLINE_S = 0.5
CLOSING_S = 3.0
JSON = "Content-Type: application/json\r\n"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool whose errors reach the caller: the SDK's server tells only those of its own kind."""

    @wraps(tool)
    def told(*args: Any, **named: Any) -> Any:
        try:
            return tool(*args, **named)
        except LookupError as error:
            raise ToolError(str(error)) from error

    return told


@asynccontextmanager
async def served(*, json_response: bool) -> AsyncIterator[str]:
    """The SDK's own server with the fixture's notes, on a loopback port."""
    notes, server = Notes(), MCPServer("notes", version="1.0")
    for name in TOOLS:
        server.tool(structured_output=True)(telling(getattr(notes, name)))
    app = server.streamable_http_app(json_response=json_response)
    config = uvicorn.Config(
        app, port=0, log_level="critical", lifespan="on", timeout_graceful_shutdown=1
    )
    running, listening = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(running.serve, [listening])
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            running.should_exit = True


@asynccontextmanager
async def connected(
    url: str, deadline_s: float = 5.0, **changes: object
) -> AsyncIterator[Connection]:
    mapping = notes_mapping(transport="http", **changes)
    connection = McpHttpDialect(mapping).connect(url, deadline_s=deadline_s)
    try:
        yield connection
    finally:
        await connection.aclose()


@pytest.mark.parametrize("json_response", [True, False])
async def test_the_operations_work_with_the_sdks_own_server(json_response: bool) -> None:
    log = KeptExchanges()
    async with served(json_response=json_response) as url, connected(url) as connection:
        assert await connection.healthy("/health")
        service = connection.service(log)
        assert (await service.info()).value.name == "notes"
        written = await service.write("ns-1", "the blue key")
        assert [one.id for one in (await service.search("ns-1", "blue")).value] == [written.value]
        assert [one.content for one in (await service.list("ns-1")).value] == ["the blue key"]
        await service.delete("ns-1", written.value)
        with pytest.raises(NoSuchRecord):
            await service.update("ns-1", written.value, "x")
    assert {one.outcome for one in log.kept[:-1]} == {Outcome.DONE}


async def test_calls_side_by_side_get_their_own_answers() -> None:
    async with served(json_response=False) as url, connected(url) as connection:
        assert await connection.healthy("")
        service, found = connection.service(KeptExchanges()), {}

        async def write(text: str) -> None:
            found[(await service.write("ns-1", text)).value] = text

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(write, f"note {number}")
        shown = (await service.search("ns-1", "note")).value
    assert {one.id: one.content for one in shown} == found


INITIALIZED: dict[str, object] = {
    "jsonrpc": "2.0",
    "result": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "raw", "version": "1"},
    },
}


def rpc(number: int, result: object) -> Behaviour:
    return answers({"jsonrpc": "2.0", "id": number, "result": result}, headers=JSON)


def peer(*behaviours: Behaviour) -> RawService:
    """A server that answers initialize and lists its tools, and then behaves."""
    return RawService(
        answers({**INITIALIZED, "id": 1}, headers=JSON),
        answers(b"", 202),
        rpc(2, {"tools": []}),
        *behaviours,
    )


async def written_to(raw: RawService, log: KeptExchanges) -> None:
    with anyio.fail_after(DEADLINE_S + CLOSING_S):
        async with connected(raw.url, DEADLINE_S) as connection:
            assert await connection.healthy("")
            await connection.service(log).write("ns-1", "x")


UNANSWERED: dict[str, Behaviour] = {
    "closes without a word": says(b""),
    "resets inside the body": resets_after(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"),
    "stays silent": repeats(b"", b"", 0.05),
    "ends its events without an answer": says(EVENTS + b": hello\n\n"),
    "floods with events": repeats(EVENTS, b": hello\n\n", 0.01),
    "cuts its events": resets_after(EVENTS + b"data: {"),
}


@pytest.mark.parametrize("what", UNANSWERED)
async def test_a_write_without_an_answer_is_unknown_and_sent_once(what: str) -> None:
    log = KeptExchanges()
    async with peer(UNANSWERED[what]) as raw:
        with pytest.raises(NoAnswer):
            await written_to(raw, log)
        assert len([one for one in raw.requests if b"tools/call" in one]) == 1
    assert [one.outcome for one in log.kept] == [Outcome.NO_ANSWER]


BROKEN: dict[str, Behaviour] = {
    "answers with another protocol": says(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    "answers with broken JSON": answers(b'{"jsonrpc": ', headers=JSON),
    "answers over 8 MiB": answers(b" " * (MAX_BODY_BYTES + 1), headers=JSON),
    "answers with a million values": answers([0] * 1_000_000, headers=JSON),
    "floods with values": repeats(EVENTS, b"data: " + b"[" * 10_000 + b"\n\n"),
    "answers in an encoding": answers(b"x", headers=JSON + "Content-Encoding: gzip\r\n"),
    "redirects": answers(b"", 307, "Location: /other\r\n"),
    "redirects elsewhere": answers(b"", 302, "Location: http://192.0.2.1/\r\n"),
}


@pytest.mark.parametrize("what", BROKEN)
async def test_an_answer_that_is_none_by_the_protocol_is_a_violation(what: str) -> None:
    log = KeptExchanges()
    async with peer(BROKEN[what]) as raw:
        with pytest.raises(ContractViolation) as caught:
            await written_to(raw, log)
        assert len([one for one in raw.requests if b"tools/call" in one]) == 1
    assert [one.outcome for one in log.kept] == [Outcome.CONTRACT_VIOLATION]
    assert len(str(caught.value)) < 1_000


async def test_an_error_status_is_a_provider_error_that_names_it() -> None:
    async with peer(answers(b"oops", 503)) as raw:
        with pytest.raises(ProviderError, match="503"):
            await written_to(raw, KeptExchanges())


async def test_one_call_that_fails_does_not_end_the_session() -> None:
    answered = rpc(4, {"content": [], "structuredContent": {"number": 7}})
    async with (
        peer(says(b""), answered) as raw,
        connected(raw.url, DEADLINE_S) as connection,
    ):
        assert await connection.healthy("")
        service = connection.service(KeptExchanges())
        with pytest.raises(NoAnswer):
            await service.write("ns-1", "x")
        assert (await service.write("ns-1", "y")).value == "7"


async def test_a_server_that_is_gone_is_lost_and_may_come_back() -> None:
    async with peer(says(b"")) as raw:
        connection = McpHttpDialect(notes_mapping(transport="http")).connect(raw.url)
        assert await connection.healthy("")
    with pytest.raises(TargetLost):
        await connection.service(KeptExchanges()).write("ns-1", "x")
    assert not await connection.healthy("")
    await connection.aclose()


async def test_a_server_that_does_not_listen_yet_is_met_once_it_does() -> None:
    raw = peer()
    async with connected("http://127.0.0.1:1", DEADLINE_S) as connection:
        assert not await connection.healthy("")
        async with raw:
            connection._url = f"{raw.url}/mcp"  # type: ignore[attr-defined]
            assert await connection.healthy("")


async def test_the_token_goes_with_every_request_and_nothing_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with peer(rpc(3, {"content": [], "structuredContent": {"number": 7}})) as raw:
        mapping = notes_mapping(transport="http")
        connection = McpHttpDialect(mapping).connect(raw.url, token="sesame")
        assert await connection.healthy("")
        await connection.service(KeptExchanges()).write("ns-1", "x")
        await connection.aclose()
    assert len(raw.requests) == 4
    for one in raw.requests:
        head = one.lower()
        assert head.startswith(b"post /mcp http/1.1")
        assert b"authorization: bearer sesame" in head
        assert b"accept-encoding: identity" in head


async def test_closing_ends_in_time_where_the_server_does_not_answer_the_goodbye() -> None:
    greeting = {**INITIALIZED, "id": 1}
    raw = RawService(
        answers(greeting, headers=JSON + "Mcp-Session-Id: abc\r\n"),
        answers(b"", 202),
        rpc(2, {"tools": []}),
        repeats(b"", b"", 0.05),
    )
    async with raw:
        connection = McpHttpDialect(notes_mapping(transport="http")).connect(raw.url)
        assert await connection.healthy("")
        with anyio.fail_after(CLOSING_S):
            await connection.aclose()
    assert raw.requests[-1].startswith(b"DELETE")


def test_a_server_on_standard_input_has_no_address() -> None:
    with pytest.raises(UsageError, match="stdio"):
        McpStdioDialect(notes_mapping()).connect("http://127.0.0.1:1")
