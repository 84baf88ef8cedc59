"""Ends a run early: at its timeout, or when the process is told to stop."""

import signal
import threading
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskStatus

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def cut_short(work: Callable[[], Awaitable[None]], timeout_s: float) -> str:
    """Do the work to its end, or cancel it; says why it was cancelled, empty where it was not.

    Signals are listened to only in the main thread. A second signal changes nothing: the work is
    cleaning up by then, and has its own deadlines for that.
    """
    ending = _Ending(work, timeout_s)
    async with anyio.create_task_group() as tasks:
        if threading.current_thread() is threading.main_thread():
            await tasks.start(ending.listen)
        await ending.perform()
        tasks.cancel_scope.cancel()
    if ending.failure is not None:
        raise ending.failure
    return ending.why


class _Ending:
    def __init__(self, work: Callable[[], Awaitable[None]], timeout_s: float) -> None:
        self.why = ""
        self.failure: Exception | None = None
        self._work = work
        self._timeout_s = timeout_s
        self._scope = anyio.CancelScope()

    async def perform(self) -> None:
        self._scope.deadline = anyio.current_time() + self._timeout_s
        with self._scope:
            try:
                await self._work()
            except Exception as error:  # a task group would wrap it
                self.failure = error
        if self._scope.cancel_called and not self.why:
            self.why = f"its timeout of {self._timeout_s:g} s was over"

    async def listen(self, *, task_status: TaskStatus[None]) -> None:
        with anyio.open_signal_receiver(*_SIGNALS) as received:
            task_status.started()
            async for number in received:
                self.why = self.why or f"it was told to stop ({signal.Signals(number).name})"
                self._scope.cancel()
