"""The proxy before a store: passes everything, and freezes one connection."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
from anyio.abc import SocketAttribute, SocketStream

from memtru_ci.drivers.proxy import StoreProxy

SECRET = b"s3cr3ts3cr3ts3cr3t"


@asynccontextmanager
async def store() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A store that keeps what it is sent, and answers each chunk with its length."""
    kept: list[bytes] = []

    async def serve(client: SocketStream) -> None:
        async with client:
            async for chunk in client:
                kept.append(chunk)
                await client.send(b"%d;" % len(chunk))

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve)
        yield port, kept
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def proxied() -> AsyncIterator[tuple[StoreProxy, list[bytes]]]:
    async with store() as (port, kept):

        async def upstream() -> tuple[str, int]:
            return "127.0.0.1", port

        async with StoreProxy(upstream).serving("127.0.0.1") as proxy:
            yield proxy, kept


async def said(client: SocketStream, chunk: bytes) -> bytes:
    await client.send(chunk)
    with anyio.fail_after(5):
        return await client.receive()


def test_bytes_pass_both_ways() -> None:
    async def go() -> None:
        async with proxied() as (proxy, kept):
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                assert await said(client, b"hello") == b"5;"
            assert kept == [b"hello"]

    anyio.run(go)


def test_only_the_connection_that_carries_the_secret_waits() -> None:
    async def go() -> None:
        async with proxied() as (proxy, kept):
            freeze = proxy.freeze(SECRET)
            async with (
                await anyio.connect_tcp("127.0.0.1", proxy.port) as one,
                await anyio.connect_tcp("127.0.0.1", proxy.port) as other,
            ):
                await one.send(b"SET a " + SECRET)
                with anyio.fail_after(5):
                    await freeze.met.wait()
                assert await said(other, b"DEL a") == b"5;"
                assert kept == [b"DEL a"]
                assert freeze.lift() == 1
                with anyio.fail_after(5):
                    assert await one.receive() == b"24;"
            assert kept == [b"DEL a", b"SET a " + SECRET]

    anyio.run(go)


def test_a_secret_over_the_border_of_two_chunks_is_found() -> None:
    async def go() -> None:
        async with proxied() as (proxy, kept):
            freeze = proxy.freeze(SECRET)
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                assert await said(client, SECRET[:7]) == b"7;"
                await client.send(SECRET[7:])
                with anyio.fail_after(5):
                    await freeze.met.wait()
                assert kept == [SECRET[:7]]
                freeze.lift()
                with anyio.fail_after(5):
                    await client.receive()
            assert b"".join(kept) == SECRET

    anyio.run(go)


def test_once_lifted_it_freezes_no_more_and_counts_nothing() -> None:
    async def go() -> None:
        async with proxied() as (proxy, _):
            freeze = proxy.freeze(SECRET)
            assert freeze.lift() == 0
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                assert await said(client, SECRET) == b"18;"

    anyio.run(go)


def test_a_frozen_connection_does_not_keep_the_proxy_from_ending() -> None:
    async def go() -> None:
        with anyio.fail_after(5):
            async with proxied() as (proxy, _):
                freeze = proxy.freeze(SECRET)
                client = await anyio.connect_tcp("127.0.0.1", proxy.port)
                await client.send(SECRET)
                await freeze.met.wait()
            await client.aclose()

    anyio.run(go)


def test_a_store_that_is_not_there_ends_the_connection_and_is_told() -> None:
    async def go() -> None:
        async def nowhere() -> tuple[str, int]:
            raise OSError("the sidecar redis is not there yet")

        async with StoreProxy(nowhere).serving("127.0.0.1") as proxy:
            client = await anyio.connect_tcp("127.0.0.1", proxy.port)
            with anyio.fail_after(5):
                ended = False
                try:
                    await client.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    ended = True
            assert ended
            assert "not there yet" in proxy.trouble
            await client.aclose()

    anyio.run(go)


def test_an_answer_that_ends_the_connection_from_the_store_ends_it_for_the_service() -> None:
    async def go() -> None:
        async def serve(client: SocketStream) -> None:
            async with client:
                await client.receive()
                await client.send(b"bye")

        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(SocketAttribute.local_port)

        async def upstream() -> tuple[str, int]:
            return "127.0.0.1", port

        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            async with (
                StoreProxy(upstream).serving("127.0.0.1") as proxy,
                await anyio.connect_tcp("127.0.0.1", proxy.port) as client,
            ):
                assert await said(client, b"x") == b"bye"
                with anyio.fail_after(5):
                    rest = [chunk async for chunk in client]
                assert rest == []
            tasks.cancel_scope.cancel()

    anyio.run(go)


def test_what_a_service_took_back_while_it_was_frozen_never_comes_to_the_store() -> None:
    async def go() -> None:
        async with proxied() as (proxy, kept):
            freeze = proxy.freeze(SECRET)
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                await client.send(SECRET)
                with anyio.fail_after(5):
                    await freeze.met.wait()
            with anyio.fail_after(5):
                while not freeze.was_left:
                    await anyio.lowlevel.checkpoint()
            assert freeze.lift() == 0
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as other:
                assert await said(other, b"GET a") == b"5;"
            assert kept == [b"GET a"]

    anyio.run(go)


def test_what_follows_on_a_frozen_connection_comes_after_it_in_order() -> None:
    async def go() -> None:
        async with proxied() as (proxy, kept):
            freeze = proxy.freeze(SECRET)
            async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                await client.send(SECRET)
                with anyio.fail_after(5):
                    await freeze.met.wait()
                await client.send(b" and more")
                await anyio.wait_all_tasks_blocked()
                assert freeze.lift() == 1
                answered = b""
                with anyio.fail_after(5):
                    while b"".join(kept) != SECRET + b" and more":
                        answered += await client.receive()
            assert answered

    anyio.run(go)


def test_a_connection_that_the_store_ends_while_it_is_frozen_is_let_go_by_nobody() -> None:
    async def go() -> None:
        ending = anyio.Event()

        async def serve(client: SocketStream) -> None:
            async with client:
                await ending.wait()

        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(SocketAttribute.local_port)

        async def upstream() -> tuple[str, int]:
            return "127.0.0.1", port

        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, serve)
            async with StoreProxy(upstream).serving("127.0.0.1") as proxy:
                freeze = proxy.freeze(SECRET)
                async with await anyio.connect_tcp("127.0.0.1", proxy.port) as client:
                    await client.send(SECRET)
                    with anyio.fail_after(5):
                        await freeze.met.wait()
                        ending.set()
                        while not freeze.was_left:
                            await anyio.lowlevel.checkpoint()
                    assert freeze.lift() == 0
            tasks.cancel_scope.cancel()

    anyio.run(go)
