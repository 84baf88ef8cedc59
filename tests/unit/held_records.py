"""Records of writes that the gate itself held, as trials on services in memory make them."""

from dataclasses import dataclass
from typing import Any

from memtru_ci.domain.record import Record
from tests.fakes import FakeGrip, FakeMechanism, FakeTarget, FakeWorld, Fault
from tests.performing import LATE, Performance, perform, world

NO_HOOK = "LIFECYCLE_PENDING_WRITES"


class Idle(FakeMechanism):
    """Says that it holds the write, and lets it pass."""

    async def grip(self, secret: str) -> FakeGrip:
        grip = await super().grip(secret)
        grip.arrives()
        self.world.grip = None
        return grip


@dataclass
class _Unheld(FakeGrip):
    patience_s: float = 0.0

    async def met(self, body: dict[str, Any]) -> None:
        if self.secret in str(body):
            self.arrives()
            await self.world.clock.sleep(self.patience_s)


@dataclass
class Impatient(FakeMechanism):
    """The service does not wait for what is held first, and then waits for the control's."""

    patience_s: float = 0.0

    async def grip(self, secret: str) -> FakeGrip:
        if self.world.grip is not None:
            return await super().grip(secret)
        self.world.grip = _Unheld(self.world, secret, patience_s=self.patience_s)
        return self.world.grip


def held(made: FakeWorld, name: str = "model_stand_in", **options: Any) -> Performance:
    """Perform the late write on a service without a hook, its write held by the gate."""
    mechanism = FakeMechanism(made, name, misses=options.pop("misses", False))
    return perform(FakeTarget([made], mechanism=mechanism), LATE, **options)


def idly_held(name: str, made: FakeWorld | None = None) -> Performance:
    """The same, where nothing is held at all."""
    made = made or world(NO_HOOK)
    return perform(FakeTarget([made], mechanism=Idle(made, name)), LATE)


def impatiently_held(name: str = "model_stand_in", refusal: int | None = None) -> Performance:
    """The same, where the write is answered or refused before its release."""
    made = world(NO_HOOK)
    if refusal is not None:
        # The first update is the create control's.
        made.faults["update"].extend([None, Fault("status", refusal)])
    mechanism = Impatient(made, name, patience_s=0.1 if refusal else 0.0)
    return perform(FakeTarget([made], mechanism=mechanism), LATE)


def record(name: str = "model_stand_in", **facts: Any) -> Record:
    """The record of a held write on a service with these properties."""
    made = held(world(NO_HOOK, **facts), name).result.record
    assert made is not None
    return made


def impatient_record(name: str = "model_stand_in", refusal: int | None = None) -> Record:
    """The record of a write that was answered, or refused, before its release."""
    made = impatiently_held(name, refusal).result.record
    assert made is not None
    return made


def idle_record(name: str) -> Record:
    """The record of a write that was not held at all."""
    made = idly_held(name).result.record
    assert made is not None
    return made
