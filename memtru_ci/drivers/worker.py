"""Holds a write by pausing the worker that applies it: level `worker`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from memtru_ci.domain.holding import WORKER_PAUSE
from memtru_ci.drivers.mechanism import Facts
from memtru_ci.sending import Sending

QUEUED_S = 0.3
"""How long after its sending a write is taken to be queued, answered or not."""


@dataclass(frozen=True)
class Pausable:
    """A worker that can be paused and resumed; both raise `EngineError`."""

    name: str
    pause: Callable[[], Awaitable[None]]
    resume: Callable[[], Awaitable[None]]


class WorkerPause:
    """Implements `Mechanism` for a worker in a container of its own."""

    name = WORKER_PAUSE
    hint = "is it this sidecar that applies the writes?"

    def __init__(self, worker: Pausable) -> None:
        self._worker = worker

    async def grip(self, secret: str) -> "_Paused":
        await self._worker.pause()
        return _Paused(self._worker)


class _Paused:
    def __init__(self, worker: Pausable) -> None:
        self.manner = Sending()
        self._worker = worker
        self._is_paused = True

    async def arrived(self) -> Facts:
        """That the write waits in the queue is for the hold control to show."""
        await anyio.sleep(QUEUED_S)
        return {"paused": self._worker.name}

    async def release(self) -> Facts:
        if not self._is_paused:
            return {"released": 0}
        with anyio.CancelScope(shield=True):
            await self._worker.resume()
        self._is_paused = False
        return {"released": 1}
