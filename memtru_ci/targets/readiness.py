"""Waiting for a target to be healthy: to its deadline, and no longer than it lives."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from anyio import current_time, move_on_after, sleep

from memtru_ci.errors import TargetError

FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 0.25


@dataclass(frozen=True)
class Waiting:
    """What to ask of a target that comes up."""

    name: str
    timeout_s: float
    is_healthy: Callable[[], Awaitable[bool]]
    autopsy: Callable[[], Awaitable[str]]
    """How it died; empty while it lives."""
    complaint: Callable[[], Awaitable[TargetError]]
    """Why it is not healthy although it lives."""


async def until_healthy(waiting: Waiting, when: str) -> float:
    """Wait, and return the milliseconds that it took; `when` says what had happened before.

    Raises `TargetError` where it dies or is not healthy in time.
    """
    began, pause = current_time(), FIRST_PAUSE_S
    with move_on_after(waiting.timeout_s):
        while True:
            healthy = await waiting.is_healthy()
            took = (current_time() - began) * 1000
            if death := await waiting.autopsy():
                raise TargetError(f"{waiting.name} died {when}: {death}")
            if healthy:
                return took
            await sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE_S)
    raise await waiting.complaint()
