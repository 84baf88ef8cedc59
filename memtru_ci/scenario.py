"""The header every scenario has, and the body that performs it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memtru_ci.domain.promise import Promise
from memtru_ci.trial.trial import Trial


@dataclass(frozen=True)
class Scenario:
    """A promise, and the numbered steps that test it."""

    promise: Promise
    perform: Callable[[Trial], Awaitable[None]]

    @property
    def id(self) -> str:
        """Its public id, for example `MT-AF-001`."""
        return self.promise.id
