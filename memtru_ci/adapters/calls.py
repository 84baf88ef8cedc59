"""How an adapter's methods are called, whether they are plain or `async`."""

import inspect
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from memtru_ci.adapters.base import MemoryAdapter
from memtru_ci.domain.receipt import HookReceipt

WORKER_THREADS = 128
"""How many plain methods run at once; over 64, so that as many clients never wait for a thread."""


class Caller:
    """Calls an adapter's methods, plain ones in worker threads.

    Raises whatever the method raises, and `TypeError` where it returns the wrong thing.
    """

    def __init__(self, adapter: MemoryAdapter) -> None:
        self.adapter = adapter
        self._limiter = anyio.CapacityLimiter(WORKER_THREADS)

    async def __call__(self, method: str, *arguments: Any) -> Any:
        function = getattr(self.adapter, method)
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)
        call = partial(function, *arguments)
        result = await anyio.to_thread.run_sync(call, limiter=self._limiter)
        return await result if inspect.isawaitable(result) else result

    async def receipt(self, method: str, *arguments: Any) -> HookReceipt:
        """What a hook returned, which must be a receipt."""
        receipt = await self(method, *arguments)
        if not isinstance(receipt, HookReceipt):
            raise TypeError(f"{method} returned {type(receipt).__name__}, not a HookReceipt")
        return receipt
