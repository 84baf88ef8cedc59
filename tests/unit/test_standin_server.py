"""The server listens where it is told, and is gone soon after its block, whatever waits."""

import socket
import time

import anyio
import httpx
import pytest

from memtru_ci.errors import InfrastructureError
from memtru_ci.standin.app import StandIn
from memtru_ci.standin.server import STOP_DEADLINE_S, serving
from tests.unit.standin_clients import raw_client_of

pytestmark = pytest.mark.anyio

INPUT = {"input": "abcdef"}


async def test_it_listens_on_a_free_port_of_the_address_and_not_after_its_block() -> None:
    async with serving(host="127.0.0.1") as server, raw_client_of(server) as client:
        assert server.url.startswith("http://127.0.0.1:")
        assert (await client.get("/v1/models")).status_code == 200
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{server.url}/v1/models")


async def test_two_servers_have_ports_and_controls_of_their_own() -> None:
    async with serving() as one, serving() as other, raw_client_of(one) as client:
        await client.post("/v1/embeddings", json=INPUT)
        assert one.url != other.url
        assert (one.control.log.count, other.control.log.count) == (1, 0)


async def test_vectors_have_the_dimensions_that_it_was_given() -> None:
    async with serving(dimensions=5) as server, raw_client_of(server) as client:
        answer = (await client.post("/v1/embeddings", json=INPUT)).json()
    assert len(answer["data"][0]["embedding"]) == 5


@pytest.mark.parametrize("dimensions", [0, 8193])
def test_dimensions_out_of_bounds_are_refused_at_once(dimensions: int) -> None:
    with pytest.raises(ValueError, match=f"not {dimensions}"):
        StandIn(dimensions=dimensions)


async def test_it_stops_soon_and_answers_503_while_an_answer_is_held() -> None:
    answers: list[int] = []

    async def ask(client: httpx.AsyncClient) -> None:
        answers.append((await client.post("/v1/embeddings", json=INPUT)).status_code)

    async with anyio.create_task_group() as tasks:
        async with serving() as server:
            client = httpx.AsyncClient(base_url=server.url)
            held = server.control.hold("abcdef")
            tasks.start_soon(ask, client)
            assert await held.seen(5) is not None
            began = time.monotonic()
        assert time.monotonic() - began < STOP_DEADLINE_S
    await client.aclose()
    assert answers == [503]


async def test_it_stops_soon_while_a_client_neither_reads_nor_leaves() -> None:
    async with serving() as server:
        port = int(server.url.rsplit(":", 1)[1])
        idle = await anyio.connect_tcp("127.0.0.1", port)
        half = await anyio.connect_tcp("127.0.0.1", port)
        await half.send(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        await anyio.sleep(0.02)
        began = time.monotonic()
    assert time.monotonic() - began < STOP_DEADLINE_S + 0.5
    for stream in (idle, half):
        await stream.aclose()


async def test_what_goes_wrong_inside_leaves_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        async with serving():
            raise ZeroDivisionError


async def test_it_is_gone_when_its_block_is_cancelled() -> None:
    with anyio.move_on_after(0.05):
        async with serving() as server:
            await anyio.sleep(60)
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{server.url}/v1/models")


async def test_it_does_not_touch_the_handlers_of_signals() -> None:
    import signal

    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    async with serving():
        assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


async def test_an_address_that_cannot_be_had_is_said_with_what_to_try() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InfrastructureError, match=f"127.0.0.1:{port}") as caught:
            async with serving(port=port):
                raise AssertionError("it listens on a port that is taken")
    assert caught.value.hint
