"""How the requests of a task are sent where that is not as usual: with patience, or in parts."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import anyio

KEPT_BACK = 1
"""Bytes of a body that are kept back; a server that reads a body to its end waits for them."""


class Withholding:
    """Keeps back the end of the first request body that carries a secret, until it is released."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._is_taken = False
        self.reached = anyio.Event()
        """All but the last bytes were handed to the network."""
        self.released = anyio.Event()

    def takes(self, body: bytes) -> bool:
        """Whether this is the request to keep back; true for one request only."""
        if self._is_taken or self._secret not in body:
            return False
        self._is_taken = True
        return True

    async def parts(self, body: bytes) -> AsyncIterator[bytes]:
        """The body up to its last bytes, and these once they are released."""
        yield body[:-KEPT_BACK]
        self.reached.set()
        await self.released.wait()
        yield body[-KEPT_BACK:]


@dataclass(frozen=True)
class Sending:
    """What is unusual about the requests of a task."""

    deadline_s: float | None = None
    """Seconds that a request may take in place of its usual deadline."""
    withholding: Withholding | None = None


USUAL = Sending()
_CURRENT: ContextVar[Sending] = ContextVar("sending", default=USUAL)


def current() -> Sending:
    """How requests of this task are to be sent."""
    return _CURRENT.get()


@contextmanager
def sending(manner: Sending) -> Iterator[None]:
    """Within it, requests of this task are sent in this manner."""
    token = _CURRENT.set(manner)
    try:
        yield
    finally:
        _CURRENT.reset(token)
