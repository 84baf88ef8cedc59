"""Waiting for a target to be healthy: to its deadline, and no longer than it lives."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from anyio import current_time, move_on_after, sleep

from memtru_ci.errors import TargetError

FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 0.25
NOTICE_S = 1.5
"""How long an engine may take to notice that a process is gone."""


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


async def confirmed(
    autopsy: Callable[[], Awaitable[str]], is_healthy: Callable[[], Awaitable[bool]]
) -> str:
    """How it died, empty while it lives; a service that does not answer gets a second look.

    Its connections break before anybody can see that it is dead.
    """
    if (death := await autopsy()) or await is_healthy():
        return death
    with move_on_after(NOTICE_S):
        while True:
            if death := await autopsy():
                return death
            await sleep(FIRST_PAUSE_S)
    return ""


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
