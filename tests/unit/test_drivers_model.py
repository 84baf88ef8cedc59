"""The hold at the model: what it counts as let go."""

from dataclasses import dataclass

import anyio

from memtru_ci.drivers.model import ModelHold, Sighting


@dataclass
class Held:
    """Answers that are held back, as many as told."""

    parked: int = 1
    lapsed: int = 0
    requests: int = 2
    retries: int = 0
    is_released: bool = False

    async def seen(self, deadline_s: float) -> Sighting | None:
        return None

    def release(self) -> None:
        self.is_released = True


@dataclass
class Model:
    held: Held

    def hold(self, secret: str) -> Held:
        return self.held


def released(held: Held) -> object:
    async def go() -> object:
        grip = await ModelHold(Model(held)).grip("secret")
        return (await grip.release())["released"]

    return anyio.run(go)


def test_an_answer_that_waited_to_the_end_is_let_go() -> None:
    held = Held()

    assert released(held) == 1
    assert held.is_released


def test_where_one_answer_was_given_before_its_release_none_counts() -> None:
    assert released(Held(parked=1, lapsed=1)) == 0
