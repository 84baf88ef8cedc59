"""A service that misbehaves on the wire costs one deadline and never a second request."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager

import anyio
import pytest

from memtru_ci.contract import MAX_BODY_BYTES
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    ProviderError,
    ServiceError,
    TargetLost,
)
from memtru_ci.ports import MemoryService
from memtru_ci.services.contract import connect
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

DEADLINE_S = 0.3
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

UNKNOWN: dict[str, Behaviour] = {
    "closes without a word": says(b""),
    "resets without a word": resets_after(b""),
    "closes inside the head": says(HEAD + b"Content-"),
    "resets inside the body": resets_after(HEAD + b"Content-Length: 90\r\n\r\n{"),
    "closes inside the body": says(HEAD + b"Content-Length: 90\r\n\r\n{"),
    "closes inside a chunk": says(CHUNKED + b"ff\r\n{"),
    "closes inside the body of an error": says(b"HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\n{"),
    "stays silent": repeats(b"", b"", 0.05),
    "drips the status line": repeats(b"HTTP/1.1 200 O", b"K", 0.05),
    "drips headers": repeats(HEAD, b"X-A: b\r\n", 0.05),
    "drips the body": repeats(HEAD + b"Content-Length: 9999\r\n\r\n", b" ", 0.05),
    "floods with 1xx": repeats(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 100),
    "drips 1xx": repeats(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
}
BROKEN: dict[str, Behaviour] = {
    "speaks another protocol": says(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    "sends a broken chunk": says(CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"),
    "sends two lengths": says(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "sends a huge header": says(HEAD + b"X-A: " + b"a" * 1_000_000 + b"\r\n\r\n{}"),
    "sends 100 000 headers": says(HEAD + b"X-A: b\r\n" * 100_000 + b"\r\n{}"),
    "answers with status 999": says(b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
    "switches protocols": says(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"),
    "answers with gzip": answers(b"\x1f\x8b\x08\x00", headers="Content-Encoding: gzip\r\n"),
    "announces an encoding late": says(
        CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: br\r\n\r\n") + b"1\r\nx\r\n0\r\n\r\n"
    ),
    "never ends its body": repeats(CHUNKED, b"10000\r\n" + b" " * 65536 + b"\r\n"),
}

Use = Callable[[MemoryService], Awaitable[object]]
MUTATIONS: dict[str, Use] = {
    "write": lambda service: service.write("ns", "a thing"),
    "update": lambda service: service.update("ns", "m1", "a thing"),
    "delete": lambda service: service.delete("ns", "m1"),
    "release": lambda service: service.release_pending_writes("ns"),
}


async def _fault(
    service: RawService, use: Use, log: KeptExchanges, deadline_s: float
) -> ServiceError:
    connection = connect(service.url, deadline_s=deadline_s)
    try:
        with pytest.raises(ServiceError) as caught:
            await use(connection.service(log))
    finally:
        await connection.aclose()
    return caught.value


@pytest.mark.parametrize("use", [MUTATIONS["write"], MUTATIONS["delete"]])
@pytest.mark.parametrize("behaviour", UNKNOWN.values(), ids=UNKNOWN)
async def test_a_request_without_a_whole_answer_has_an_unknown_outcome_and_is_sent_once(
    behaviour: Behaviour, use: Use
) -> None:
    log = KeptExchanges()
    started = time.monotonic()
    async with RawService(behaviour) as service:
        error = await _fault(service, use, log, DEADLINE_S)

        assert type(error) is NoAnswer
        assert len(service.requests) == 1
    assert error.steps == (1,)
    assert [one.outcome for one in log.kept] == [Outcome.NO_ANSWER]
    assert time.monotonic() - started < DEADLINE_S + 2


@pytest.mark.parametrize("use", MUTATIONS.values(), ids=MUTATIONS)
@pytest.mark.parametrize("behaviour", BROKEN.values(), ids=BROKEN)
async def test_an_answer_that_is_no_bounded_http_breaks_the_contract_and_is_not_asked_for_again(
    behaviour: Behaviour, use: Use
) -> None:
    log = KeptExchanges()
    async with RawService(behaviour) as service:
        error = await _fault(service, use, log, 10)

        assert type(error) is ContractViolation
        assert len(service.requests) == 1
    assert [one.outcome for one in log.kept] == [Outcome.CONTRACT_VIOLATION]
    assert log.kept[0].error == error.detail != ""


@pytest.mark.parametrize("behaviour", UNKNOWN.values(), ids=UNKNOWN)
async def test_a_read_without_a_whole_answer_is_an_unknown_outcome_too(
    behaviour: Behaviour,
) -> None:
    async with RawService(behaviour) as service:
        error = await _fault(service, _search, KeptExchanges(), DEADLINE_S)

    assert type(error) is NoAnswer


@pytest.mark.parametrize("use", [*MUTATIONS.values(), lambda s: s.search("ns", "q")])
async def test_a_refused_connection_is_a_lost_target_not_an_unknown_outcome(use: Use) -> None:
    service = RawService(says(b""))
    async with service:
        url = service.url
    log = KeptExchanges()
    connection = connect(url, deadline_s=DEADLINE_S)

    with pytest.raises(TargetLost):
        await use(connection.service(log))

    assert [one.outcome for one in log.kept] == [Outcome.TARGET_LOST]


async def test_a_host_that_cannot_be_found_is_a_lost_target() -> None:
    connection = connect("http://no-such-host.invalid", deadline_s=5)

    with pytest.raises(TargetLost):
        await connection.service(KeptExchanges()).info()


async def test_a_deadline_that_passes_while_connecting_is_a_lost_target() -> None:
    # A listener whose backlog is full answers no further connection.
    with _full_listener() as port:
        connection = connect(f"http://127.0.0.1:{port}", deadline_s=DEADLINE_S)

        with pytest.raises(TargetLost, match=r"no connection within 0\.3 s"):
            await connection.service(KeptExchanges()).write("ns", "a thing")


async def test_a_redirect_is_an_error_and_nobody_goes_there() -> None:
    async with RawService(answers({})) as canary:
        away = answers({}, 302, f"Location: {canary.url}/capabilities\r\n")
        async with RawService(away) as service:
            error = await _fault(service, MUTATIONS["write"], KeptExchanges(), 5)

            assert isinstance(error, ProviderError)
            assert error.status == 302
            assert canary.url in error.detail
            assert len(service.requests) == 1
        assert canary.requests == []


async def test_a_proxy_named_in_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with RawService(answers({})) as proxy, RawService(answers({"id": "m1"})) as service:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        connection = connect(service.url, deadline_s=5)

        assert (await connection.service(KeptExchanges()).write("ns", "a")).value == "m1"
        assert proxy.requests == []


async def test_a_request_names_contract_tool_and_token_and_returns_no_cookie() -> None:
    cookie = "Set-Cookie: session=1; Path=/\r\n"
    async with RawService(answers({"id": "m1"}, headers=cookie)) as service:
        connection = connect(service.url, token="tok-1", deadline_s=5)
        trial = connection.service(KeptExchanges())
        await trial.write("ns", "a")
        await trial.write("ns", "b")

        head = service.requests[1].partition(b"\r\n\r\n")[0].decode().lower()
    assert "memtru-contract: 1.0" in head
    assert "user-agent: memtru-ci/" in head
    assert "accept-encoding: identity" in head
    assert "authorization: bearer tok-1" in head
    assert "content-type: application/json" in head
    assert "cookie" not in head


async def test_without_a_token_nothing_authorizes_even_when_it_is_demanded() -> None:
    demand = answers({}, 401, "WWW-Authenticate: Basic realm=x\r\n")
    async with RawService(demand) as service:
        error = await _fault(service, _search, KeptExchanges(), 5)

        assert isinstance(error, ProviderError)
        assert b"authorization" not in service.requests[0].lower()
        assert len(service.requests) == 1


async def test_an_error_status_counts_although_its_body_cannot_be_read() -> None:
    gzipped = answers(b"\x1f\x8b", 503, "Content-Encoding: gzip\r\n")
    async with RawService(gzipped) as service:
        error = await _fault(service, _search, KeptExchanges(), 5)

    assert isinstance(error, ProviderError)
    assert error.status == 503


async def test_a_body_at_the_bound_is_read_and_one_byte_more_is_not() -> None:
    exact = b'{"id": "m1"}'.ljust(MAX_BODY_BYTES)
    async with RawService(answers(exact), answers(exact + b" ")) as service:
        trial = connect(service.url, deadline_s=20).service(KeptExchanges())

        assert (await trial.write("ns", "a")).value == "m1"
        with pytest.raises(ContractViolation, match="longer than 8388608 bytes"):
            await trial.write("ns", "a")


async def test_each_request_has_a_connection_of_its_own_so_a_restart_cuts_none() -> None:
    async with RawService(
        answers({"results": []}, headers="Connection: keep-alive\r\n")
    ) as service:
        trial = connect(service.url, deadline_s=5).service(KeptExchanges())
        await trial.search("ns", "q")
        await trial.search("ns", "q")

        # The service reads one request from each connection.
        assert len(service.requests) == 2


async def test_a_call_cancelled_from_outside_is_kept_with_an_unknown_outcome() -> None:
    log = KeptExchanges()
    async with RawService(repeats(b"", b"", 0.05)) as service:
        trial = connect(service.url, deadline_s=5).service(log)
        with anyio.move_on_after(0.1):
            await trial.delete("ns", "m1")

        assert len(service.requests) == 1
    assert [(one.operation, one.outcome) for one in log.kept] == [("delete", Outcome.NO_ANSWER)]


async def test_many_reads_run_at_once() -> None:
    async with RawService(_slow) as service:
        trial = connect(service.url, deadline_s=5).service(KeptExchanges())
        started = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(trial.search, "ns", "q")

    assert time.monotonic() - started < 20 * 0.1


@pytest.mark.parametrize(
    ("behaviour", "healthy"),
    [
        (answers({}), True),
        (answers({}, 503), False),
        (answers({}, 204), False),
        (answers({}, 302, "Location: /\r\n"), False),
        (repeats(CHUNKED, b"1\r\n \r\n"), True),
        (repeats(b"", b"", 0.05), False),
        (says(b"nonsense\r\n\r\n"), False),
        (resets_after(b""), False),
    ],
)
async def test_a_service_is_healthy_when_it_says_200_in_time(
    behaviour: Behaviour, healthy: bool
) -> None:
    async with RawService(behaviour) as service:
        connection = connect(service.url, deadline_s=DEADLINE_S)

        assert await connection.healthy("/ready") is healthy
        assert service.lines == ["GET /ready"]


async def test_a_service_that_refuses_connections_is_not_healthy_and_nothing_is_raised() -> None:
    assert await connect("http://127.0.0.1:9", deadline_s=DEADLINE_S).healthy("/health") is False


async def _search(service: MemoryService) -> object:
    return await service.search("ns", "q")


async def _slow(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(0.1)
    await answers({"results": []})(writer)


@contextmanager
def _full_listener() -> Iterator[int]:
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3):
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
