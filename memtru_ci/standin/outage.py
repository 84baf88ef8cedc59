"""A model that is down for everybody, until it is back."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal

from anyio import Event
from starlette.types import Receive

from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.parking import Ending, park

Failure = int | Literal["timeout"]
"""An error status, or no answer at all."""


@dataclass
class Outage:
    """Every request fails from its start to its end. Leaving it as a context manager ends it."""

    failure: Failure
    longest_s: float
    requests: int = field(default=0, init=False)
    """Requests that it met."""

    def __post_init__(self) -> None:
        self._over = Event()

    @property
    def is_on(self) -> bool:
        """Whether requests still fail."""
        return not self._over.is_set()

    def end(self) -> None:
        """The model is back; what was left without an answer is answered with 504."""
        self._over.set()

    async def meet(self, receive: Receive) -> bool:
        """Fail a request: False where its client left, else raises `ApiFault`."""
        self.requests += 1
        if self.failure != "timeout":
            raise ApiFault(self.failure, "The stand-in was told to fail every request.")
        if await park(self._over, receive, self.longest_s) is Ending.LEFT:
            return False
        raise ApiFault(504, "The stand-in was told to give no answer.")

    def __enter__(self) -> "Outage":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()
