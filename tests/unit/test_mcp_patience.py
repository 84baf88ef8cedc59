"""A call of a tool that the gate holds has the patience that its sender asks for."""

import anyio
from pydantic import JsonValue

from memtru_ci.sending import USUAL, Sending, sending
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.http import Delivery
from memtru_ci.services.mcp.attempts import Reply
from memtru_ci.services.mcp.calls import Call, Calls
from tests.unit.test_drivers_wire import Log


def given_s(manner: Sending) -> float:
    """The seconds that a call has which is sent in this manner."""
    given: list[float] = []

    async def send(method: str, parameters: dict[str, JsonValue], deadline_s: float) -> Reply:
        given.append(deadline_s)
        return Reply(Delivery.WHOLE)

    async def go() -> None:
        calls = Calls(send, Log(), deadline_s=10.0)
        with sending(manner):
            await calls.make(Call("update", "tools/call", "edit", {}), lambda _: Understood(None))

    anyio.run(go)
    return given[0]


def test_a_call_has_its_usual_deadline() -> None:
    assert given_s(USUAL) == 10.0


def test_a_held_call_may_take_longer() -> None:
    assert given_s(Sending(deadline_s=120.0)) == 120.0
