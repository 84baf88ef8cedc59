"""An MCP server that misbehaves costs one deadline, never a second call, and never a hang."""

import json
import logging
from collections.abc import Iterable
from typing import Any

import anyio
import pytest

from memtru_ci.contract import MAX_BODY_BYTES
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import ContractViolation, NoAnswer, NotOffered, ProviderError, TargetLost
from memtru_ci.services.mcp.connection import StdioConnection
from memtru_ci.services.mcp.stdio import MOST_REQUESTS
from memtru_ci.services.rest.remembered import Remembered
from tests.mcp_peers import (
    FakePipe,
    Hangup,
    Peer,
    at_calls,
    connected,
    line,
    notes_mapping,
    notes_peer,
    result,
)
from tests.unit.raw_service import KeptExchanges

pytestmark = pytest.mark.anyio

DEADLINE_S = 0.3
CLOSING_S = 3.0
NOTIFICATION = line({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})


def silent(message: dict[str, Any]) -> Iterable[bytes]:
    return []


def hangs_up(message: dict[str, Any]) -> Iterable[bytes]:
    raise Hangup


def says(*pieces: bytes) -> Peer:
    return lambda message: pieces


async def written_to(pipe: FakePipe, log: KeptExchanges) -> None:
    """Write a memory, within the deadline; afterwards the connection closes."""
    with anyio.fail_after(DEADLINE_S + CLOSING_S):
        async with connected(pipe, DEADLINE_S) as connection:
            await connection.service(log).write("ns-1", "x")


UNANSWERED: dict[str, Peer] = {
    "never answers": silent,
    "answers another request": lambda message: [
        line({"jsonrpc": "2.0", "id": 999, "result": {"content": []}})
    ],
    "floods with notifications": lambda message: [NOTIFICATION * 2_000] * 50,
    "writes a log to its output": says(b"Traceback (most recent call last):\n"),
    "begins a line and never ends it": says(b'{"jsonrpc": "2.0", "id": 1, "res'),
    "hangs up": hangs_up,
    "hangs up inside its answer": lambda message: hangs_after(message),
}


def hangs_after(message: dict[str, Any]) -> Iterable[bytes]:
    yield result(message, {"number": 1})[:-9]
    raise Hangup


@pytest.mark.parametrize("what", UNANSWERED)
async def test_a_write_without_an_answer_is_unknown_and_sent_once(what: str) -> None:
    pipe, log = FakePipe(at_calls(UNANSWERED[what])), KeptExchanges()
    with pytest.raises(NoAnswer):
        await written_to(pipe, log)
    assert pipe.calls == ["add_note"]
    assert [one.outcome for one in log.kept] == [Outcome.NO_ANSWER]
    assert pipe.is_closed


BROKEN: dict[str, Peer] = {
    "answers with broken JSON": says(b'{"jsonrpc": "2.0", "id": 3, "result": {]}\n'),
    "answers with another protocol": says(b'{"answer": "yes"}\n'),
    "answers with deep nesting": says(b"[" * 100_000 + b"\n"),
    "answers over 8 MiB": lambda message: [result(message, "x" * MAX_BODY_BYTES)],
    "answers with a million values": lambda message: [result(message, [0] * 1_000_000)],
    "answers with no result": lambda message: [
        line({"jsonrpc": "2.0", "id": message["id"], "result": {"content": 5}})
    ],
    "answers with NaN": lambda message: [
        b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"number":NaN}}}\n'
        % message["id"]
    ],
}


@pytest.mark.parametrize("what", BROKEN)
async def test_an_answer_that_is_none_by_the_protocol_is_a_violation(what: str) -> None:
    pipe, log = FakePipe(at_calls(BROKEN[what])), KeptExchanges()
    with pytest.raises(ContractViolation) as caught:
        await written_to(pipe, log)
    assert pipe.calls == ["add_note"]
    assert [one.outcome for one in log.kept] == [Outcome.CONTRACT_VIOLATION]
    assert len(str(caught.value)) < 1_000


async def test_an_overlong_answer_is_refused_at_once() -> None:
    pipe = FakePipe(at_calls(lambda message: [result(message, "x" * MAX_BODY_BYTES)]))
    with anyio.fail_after(5):
        async with connected(pipe, deadline_s=60) as connection:
            with pytest.raises(ContractViolation, match="longer than 8388608 bytes"):
                await connection.service(KeptExchanges()).write("ns-1", "x")


async def test_lines_besides_the_messages_do_not_hinder_an_answer() -> None:
    def behave(message: dict[str, Any]) -> Iterable[bytes]:
        return [b"hello\n\n\xff\xfe\n{}\n" + NOTIFICATION, result(message, {"number": 4})]

    async with connected(FakePipe(at_calls(behave))) as connection:
        assert (await connection.service(KeptExchanges()).write("ns-1", "x")).value == "4"
        assert "'{}'" in connection.trouble


async def test_after_its_end_a_server_is_lost_and_nothing_more_is_sent() -> None:
    pipe, log = FakePipe(at_calls(hangs_up)), KeptExchanges()
    async with connected(pipe) as connection:
        service = connection.service(log)
        with pytest.raises(NoAnswer, match="output has ended"):
            await service.write("ns-1", "x")
        with pytest.raises(TargetLost):
            await service.search("ns-1", "x")
        assert not await connection.healthy("")
    assert pipe.calls == ["add_note"]
    assert [one.outcome for one in log.kept] == [Outcome.NO_ANSWER, Outcome.TARGET_LOST]


async def test_a_call_is_never_taken_back() -> None:
    pipe = FakePipe(at_calls(silent))
    with pytest.raises(NoAnswer):
        await written_to(pipe, KeptExchanges())
    assert "notifications/cancelled" not in pipe.methods


async def test_a_call_that_is_cancelled_from_outside_is_kept_as_unknown() -> None:
    log = KeptExchanges()
    async with connected(FakePipe(at_calls(silent)), deadline_s=60) as connection:
        with anyio.move_on_after(0.1):
            await connection.service(log).write("ns-1", "x")
        assert await connection.healthy("")
    assert [one.outcome for one in log.kept] == [Outcome.NO_ANSWER]


async def test_a_flood_of_requests_is_answered_up_to_a_bound() -> None:
    flood = b"".join(
        line({"jsonrpc": "2.0", "id": number, "method": "sampling/createMessage", "params": {}})
        for number in range(5_000)
    )

    def behave(message: dict[str, Any]) -> Iterable[bytes]:
        return [flood, result(message, {"number": 4})]

    pipe = FakePipe(lambda message: at_calls(behave)(message) if "method" in message else [])
    async with connected(pipe) as connection:
        assert (await connection.service(KeptExchanges()).write("ns-1", "x")).value == "4"
        await anyio.wait_all_tasks_blocked()
    assert len([one for one in pipe.taken if "method" not in one]) <= MOST_REQUESTS


async def test_an_unknown_method_is_not_offered_and_another_error_is_the_providers() -> None:
    for code, expected in ((-32601, NotOffered), (-32602, ProviderError)):
        error = {"code": code, "message": "no"}

        def behave(message: dict[str, Any], error: object = error) -> Iterable[bytes]:
            return [line({"jsonrpc": "2.0", "id": message["id"], "error": error})]

        log = KeptExchanges()
        async with connected(FakePipe(at_calls(behave))) as connection:
            with pytest.raises(expected, match=str(code)):
                await connection.service(log).write("ns-1", "x")
        assert log.kept[0].answer == {"error": error}


STARTS: dict[str, tuple[Peer, str]] = {
    "never answers": (silent, "has not answered initialize"),
    "hangs up": (hangs_up, "output has ended"),
    "writes a banner": (says(b"Welcome!\n"), "Welcome!"),
    "speaks an unknown version": (
        lambda message: [
            line(
                {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "result": {
                        "protocolVersion": "1999-01-01",
                        "capabilities": {},
                        "serverInfo": {"name": "x", "version": "1"},
                    },
                }
            )
        ],
        "1999-01-01",
    ),
    "refuses": (
        lambda message: [
            line(
                {"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "no, \x1b"}}
            )
        ],
        "no, ",
    ),
}


@pytest.mark.parametrize("what", STARTS)
async def test_a_server_that_does_not_answer_initialize_is_not_healthy(what: str) -> None:
    peer, told = STARTS[what]
    pipe = FakePipe(peer)
    connection = StdioConnection(pipe, notes_mapping(), Remembered(), DEADLINE_S)
    with anyio.fail_after(2 * DEADLINE_S + CLOSING_S):
        assert not await connection.healthy("")
        assert told in connection.trouble
        assert "\x1b" not in connection.trouble
        with pytest.raises(TargetLost):
            await connection.service(KeptExchanges()).search("ns-1", "x")
        await connection.aclose()
    assert pipe.methods.count("initialize") == 1


READY = [{"tool": "find_notes", "arguments": {"words": "ready"}}]


async def test_what_makes_a_server_ready_is_called_once_before_it_counts_as_healthy() -> None:
    pipe = FakePipe(notes_peer())
    async with connected(pipe, mapping=notes_mapping(ready=READY)) as connection:
        assert await connection.healthy("")
    assert pipe.methods[:3] == ["initialize", "notifications/initialized", "tools/call"]
    assert pipe.calls == ["find_notes"]


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_server_whose_first_call_does_not_succeed_is_not_healthy(refuses: bool) -> None:
    text = {"content": [{"type": "text", "text": "not now"}], "isError": True}

    def behave(message: dict[str, Any]) -> Iterable[bytes]:
        answered = line({"jsonrpc": "2.0", "id": message["id"], "result": text})
        return [answered] if refuses else []

    pipe, mapping = FakePipe(at_calls(behave)), notes_mapping(ready=READY)
    connection = StdioConnection(pipe, mapping, Remembered(), DEADLINE_S)
    assert not await connection.healthy("")
    assert ("not now" if refuses else "first call of find_notes") in connection.trouble
    await connection.aclose()


class StuckPipe(FakePipe):
    """A server that takes nothing any more, and a pipe that does not close."""

    is_stuck = False

    async def send(self, data: bytes) -> None:
        if self.is_stuck:
            await anyio.sleep_forever()
        await super().send(data)

    async def aclose(self) -> None:
        await super().aclose()
        await anyio.sleep_forever()


async def test_a_server_that_takes_nothing_can_not_hold_up_call_or_closing() -> None:
    pipe, log = StuckPipe(notes_peer()), KeptExchanges()
    with anyio.fail_after(DEADLINE_S + CLOSING_S):
        async with connected(pipe, DEADLINE_S) as connection:
            pipe.is_stuck = True
            with pytest.raises(NoAnswer):
                await connection.service(log).write("ns-1", "x")


async def test_closing_under_a_call_ends_the_call() -> None:
    ended = []

    async def call(connection: StdioConnection) -> None:
        with pytest.raises(NoAnswer):
            await connection.service(KeptExchanges()).write("ns-1", "x")
        ended.append(True)

    with anyio.fail_after(CLOSING_S):
        async with (
            anyio.create_task_group() as tasks,
            connected(FakePipe(at_calls(silent)), deadline_s=60) as connection,
        ):
            tasks.start_soon(call, connection)
            await anyio.wait_all_tasks_blocked()
    assert ended == [True]


async def test_what_a_server_sends_does_not_reach_the_logs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def behave(message: dict[str, Any]) -> Iterable[bytes]:
        stray = {"jsonrpc": "2.0", "id": 998, "result": {"secret": "shown"}}
        return [line(stray), result(message, {"number": 1})]

    with caplog.at_level(logging.DEBUG):
        async with connected(FakePipe(at_calls(behave))) as connection:
            await connection.service(KeptExchanges()).write("ns-1", "x")
    assert "shown" not in json.dumps([one.getMessage() for one in caplog.records])
