"""Holds a write by parking the model's answer to it: level `application`."""

from collections.abc import Mapping
from typing import Protocol

import anyio
from pydantic import JsonValue

from memtru_ci.drivers.mechanism import Facts
from memtru_ci.sending import Sending


class HeldAnswer(Protocol):
    """Answers of the model stand-in that are parked; see `standin`."""

    async def arrived(self) -> Mapping[str, JsonValue]:
        """Wait until a request shows the secret; what was seen of it."""
        ...

    def release(self) -> int:
        """Answer all of them, and park no more; how many were parked."""
        ...

    @property
    def retries(self) -> int:
        """How many of the requests were the same as one before."""
        ...


class HoldsAnswers(Protocol):
    """The control side of the model stand-in, as far as it matters here."""

    def hold(self, secret: str) -> HeldAnswer:
        """From now on, park the answer to every request that shows the secret."""
        ...


class ModelHold:
    """Implements `Mechanism`: the write is inside the service, between its steps."""

    name = "model_stand_in"
    hint = (
        "does the service call a model while it updates, and does it use the variables of "
        "`model.env`?"
    )

    def __init__(self, control: HoldsAnswers) -> None:
        self._control = control

    async def grip(self, secret: str) -> "_Parked":
        return _Parked(self._control.hold(secret))


class _Parked:
    def __init__(self, held: HeldAnswer) -> None:
        self.manner = Sending()
        self._held = held

    async def arrived(self) -> Facts:
        return await self._held.arrived()

    async def release(self) -> Facts:
        await anyio.lowlevel.checkpoint()
        return {"released": self._held.release(), "retries": self._held.retries}
