"""Records of writes that the gate itself held, as trials on services in memory make them."""

from typing import Any

from memtru_ci.domain.record import Record
from tests.fakes import FakeGrip, FakeMechanism, FakeTarget, FakeWorld
from tests.performing import LATE, Performance, perform, world

NO_HOOK = "LIFECYCLE_PENDING_WRITES"


class Idle(FakeMechanism):
    """Says that it holds the write, and lets it pass."""

    async def grip(self, secret: str) -> FakeGrip:
        grip = await super().grip(secret)
        grip.arrives()
        self.world.grip = None
        return grip


def held(made: FakeWorld, name: str = "model_stand_in", **options: Any) -> Performance:
    """Perform the late write on a service without a hook, its write held by the gate."""
    mechanism = FakeMechanism(made, name, misses=options.pop("misses", False))
    return perform(FakeTarget([made], mechanism=mechanism), LATE, **options)


def idly_held(name: str) -> Performance:
    """The same, where nothing is held at all."""
    made = world(NO_HOOK)
    return perform(FakeTarget([made], mechanism=Idle(made, name)), LATE)


def record(name: str = "model_stand_in", **facts: Any) -> Record:
    """The record of a held write on a service with these properties."""
    made = held(world(NO_HOOK, **facts), name).result.record
    assert made is not None
    return made


def idle_record(name: str) -> Record:
    """The record of a write that was not held at all."""
    made = idly_held(name).result.record
    assert made is not None
    return made
