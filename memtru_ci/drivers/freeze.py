"""The freezing of the one connection between a service and its store that carries a secret."""

import anyio
from anyio.abc import ByteReceiveStream

BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, OSError)
MOST_WAITING_BYTES = 4 * 1024 * 1024
"""What a frozen connection goes on to send is kept up to here; then it is read no further."""


class Freeze:
    """The freezing of the connection that is the first to carry a secret to the store."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.met = anyio.Event()
        self.connection = 0
        self.held_bytes = 0
        self.was_left = False
        """The service, or the store, gave the connection up before it was lifted."""
        self._lifted = anyio.Event()

    @property
    def is_lifted(self) -> bool:
        return self._lifted.is_set()

    async def hold(self, client: ByteReceiveStream, connection: int, chunk: bytes) -> bytes | None:
        """Wait, in the connection that met it, until it is lifted; what is to go on then.

        Null where the service gave the connection up: what it took back must not come late.
        """
        self.connection, self.held_bytes = connection, len(chunk)
        waiting = bytearray(chunk)
        self.met.set()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._listen, client, waiting, tasks.cancel_scope)
                await self._lifted.wait()
                tasks.cancel_scope.cancel()
        finally:
            self.was_left = self.was_left or not self.is_lifted
        return None if self.was_left else bytes(waiting)

    def lift(self) -> int:
        """Let the connection go on; how many were frozen, 0 the second time or once it was left."""
        is_frozen = self.met.is_set() and not self._lifted.is_set() and not self.was_left
        self._lifted.set()
        return int(is_frozen)

    async def _listen(
        self, client: ByteReceiveStream, waiting: bytearray, hold: anyio.CancelScope
    ) -> None:
        try:
            while len(waiting) < MOST_WAITING_BYTES:
                waiting += await client.receive()
        except BROKEN:
            self.was_left = not self.is_lifted
            hold.cancel()
