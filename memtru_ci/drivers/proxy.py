"""A TCP proxy before a store, which can freeze the one connection that carries a secret."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, SocketAttribute, SocketStream

from memtru_ci.drivers.freeze import BROKEN, Freeze

CONNECT_S = 5.0
MOST_CONNECTIONS = 256
"""More at once are refused: a pool is smaller."""

Upstream = Callable[[], Awaitable[tuple[str, int]]]
"""Where the store is now, address and port; it is asked for each connection."""


class StoreProxy:
    """Passes bytes between a service and its store, whatever the protocol.

    The secret is looked for in what goes to the store, over the borders of chunks too. Of the
    frozen connection everything from the chunk on that completes the secret waits; all other
    connections go on.
    """

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._freeze: Freeze | None = None
        self._connections = 0
        self._open = 0
        self.port = 0
        self.trouble = ""
        """Why the store could not be reached the last time it could not."""

    def freeze(self, secret: bytes) -> Freeze:
        """Freeze the next connection that carries the secret; one at a time."""
        if self._freeze is not None:
            self._freeze.lift()
        self._freeze = Freeze(secret)
        return self._freeze

    @asynccontextmanager
    async def serving(self, host: str, port: int = 0) -> AsyncIterator["StoreProxy"]:
        """Listen at the address; at the end every connection is closed. Raises `OSError`."""
        failure: Exception | None = None
        listener = await anyio.create_tcp_listener(local_host=host, local_port=port)
        self.port = listener.extra(SocketAttribute.local_port)
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, self._passed)
            try:
                yield self
            except Exception as error:
                failure = error
            finally:
                if self._freeze is not None:
                    self._freeze.lift()
                tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _passed(self, client: SocketStream) -> None:
        self._connections += 1
        number = self._connections
        async with client:
            if self._open >= MOST_CONNECTIONS:
                return
            self._open += 1
            try:
                await self._between(client, number)
            finally:
                self._open -= 1

    async def _between(self, client: SocketStream, number: int) -> None:
        try:
            with anyio.fail_after(CONNECT_S):
                host, port = await self._upstream()
                store = await anyio.connect_tcp(host, port)
        except (OSError, TimeoutError) as error:
            self.trouble = str(error) or type(error).__name__
            return
        async with store, anyio.create_task_group() as tasks:
            tasks.start_soon(self._back, store, client, tasks.cancel_scope)
            with suppress(*BROKEN):
                await self._forward(client, store, number)
                await store.send_eof()
                return
            tasks.cancel_scope.cancel()

    async def _forward(self, client: ByteReceiveStream, store: ByteSendStream, number: int) -> None:
        tail = b""
        async for chunk in client:
            freeze = self._freeze
            if freeze is not None and not freeze.is_lifted and not freeze.met.is_set():
                seen = tail + chunk
                if freeze.secret in seen:
                    held = await freeze.hold(client, number, chunk)
                    if held is None:
                        raise anyio.EndOfStream
                    chunk = held
                tail = seen[-(len(freeze.secret) - 1) :]
            else:
                tail = b""
            await store.send(chunk)

    @staticmethod
    async def _back(store: SocketStream, client: SocketStream, both: anyio.CancelScope) -> None:
        with suppress(*BROKEN):
            async for chunk in store:
                await client.send(chunk)
        both.cancel()
