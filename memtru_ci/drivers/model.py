"""Holds a write by parking the model's answer to it: level `application`."""

from typing import Protocol

from memtru_ci.domain.holding import MODEL_STAND_IN
from memtru_ci.drivers.mechanism import Facts
from memtru_ci.sending import Sending

LONGEST_WAIT_S = 60.0


class Sighting(Protocol):
    """A request that showed the secret."""

    @property
    def number(self) -> int: ...

    @property
    def path(self) -> str: ...

    @property
    def body_hash(self) -> str: ...


class HeldAnswers(Protocol):
    """Answers of the model stand-in that are held back; see `standin.held`."""

    @property
    def parked(self) -> int:
        """How many wait right now."""
        ...

    @property
    def lapsed(self) -> int:
        """How many were given by themselves, having waited for too long."""
        ...

    @property
    def requests(self) -> int:
        """How many requests showed the secret."""
        ...

    @property
    def retries(self) -> int:
        """How many of those repeated an earlier one."""
        ...

    async def seen(self, deadline_s: float) -> Sighting | None:
        """The first request that shows the secret."""
        ...

    def release(self) -> None:
        """Give all held answers, and hold no more."""
        ...


class HoldsAnswers(Protocol):
    """The control side of the model stand-in, as far as it matters here."""

    def hold(self, secret: str) -> HeldAnswers:
        """From now on, hold back the answer to every request that shows the secret."""
        ...


class ModelHold:
    """Implements `Mechanism`: the write is inside the service, between its steps."""

    name = MODEL_STAND_IN
    hint = (
        "does the service call a model while it updates, and does it use the variables of "
        "`model.env`?"
    )

    def __init__(self, control: HoldsAnswers) -> None:
        self._control = control

    async def grip(self, secret: str) -> "_Parked":
        return _Parked(self._control.hold(secret))


class _Parked:
    def __init__(self, held: HeldAnswers) -> None:
        self.manner = Sending()
        self._held = held

    async def arrived(self) -> Facts:
        while (first := await self._held.seen(LONGEST_WAIT_S)) is None:
            continue
        return {"request": first.number, "path": first.path, "sha256": first.body_hash}

    async def release(self) -> Facts:
        """Where an answer was given by itself before, the write may have gone on: 0 count."""
        held = self._held
        parked = 0 if held.lapsed else held.parked
        held.release()
        return {
            "released": parked,
            "requests": held.requests,
            "retries": held.retries,
            "lapsed": held.lapsed,
        }
