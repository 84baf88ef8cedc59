"""Ends a run early: at its timeout, or when the process is told to stop."""

import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import anyio
from anyio.abc import TaskStatus

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ears:
    """Hears to the end of a run that the process is told to stop, and never dies of it.

    What is left once the work is over (removing, writing) is short, and has its own deadlines.
    """

    def __init__(self) -> None:
        self.why = ""

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Give the signals back at the end to whoever had them before."""
        before = {one: signal.getsignal(one) for one in _SIGNALS}
        try:
            yield
        finally:
            if _is_main_thread():
                for number, handler in before.items():
                    signal.signal(number, handler)

    def listen(self) -> None:
        """From here on a signal is noted and changes nothing else."""
        if _is_main_thread():
            for number in _SIGNALS:
                signal.signal(number, self.hear)

    def hear(self, number: int, _: object = None) -> None:
        """Note why the process is to stop; the first time counts."""
        self.why = self.why or f"it was told to stop ({signal.Signals(number).name})"


async def cut_short(work: Callable[[], Awaitable[None]], timeout_s: float, ears: Ears) -> str:
    """Do the work to its end, or cancel it; says why it was cancelled, empty where it was not.

    Signals are listened to only in the main thread. A second signal changes nothing: the work is
    cleaning up by then, and has its own deadlines for that. Afterwards `ears` go on listening.
    """
    ending = _Ending(work, timeout_s, ears)
    async with anyio.create_task_group() as tasks:
        if _is_main_thread():
            await tasks.start(ending.listen)
        await ending.perform()
        tasks.cancel_scope.cancel()
    if ending.failure is not None:
        raise ending.failure
    return ears.why


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class _Ending:
    def __init__(self, work: Callable[[], Awaitable[None]], timeout_s: float, ears: Ears) -> None:
        self.failure: Exception | None = None
        self._work = work
        self._timeout_s = timeout_s
        self._ears = ears
        self._scope = anyio.CancelScope()

    async def perform(self) -> None:
        self._scope.deadline = anyio.current_time() + self._timeout_s
        with self._scope:
            try:
                await self._work()
            except Exception as error:  # a task group would wrap it
                self.failure = error
        if self._scope.cancel_called and not self._ears.why:
            self._ears.why = f"its timeout of {self._timeout_s:g} s was over"

    async def listen(self, *, task_status: TaskStatus[None]) -> None:
        try:
            with anyio.open_signal_receiver(*_SIGNALS) as received:
                task_status.started()
                async for number in received:
                    self._ears.hear(number)
                    self._scope.cancel()
        finally:
            self._ears.listen()
