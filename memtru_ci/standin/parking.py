"""Lets an answer wait until it is decided, the client leaves, or it has waited long enough."""

from enum import Enum

from anyio import CancelScope, Event, create_task_group, move_on_after
from starlette.types import Receive


class Ending(Enum):
    """Why a parked answer waits no longer."""

    DECIDED = "decided"
    LEFT = "left"
    LAPSED = "lapsed"


async def park(decided: Event, receive: Receive, longest_s: float) -> Ending:
    """Wait; no task is left behind, however it ends."""
    ending = Ending.LAPSED
    async with create_task_group() as tasks:
        left = CancelScope()
        tasks.start_soon(_watch, receive, left)
        with left, move_on_after(longest_s):
            await decided.wait()
            ending = Ending.DECIDED
        if left.cancel_called and ending is not Ending.DECIDED:
            ending = Ending.LEFT
        tasks.cancel_scope.cancel()
    return ending


async def _watch(receive: Receive, left: CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    left.cancel()
