"""The header every scenario has, and the body that performs it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memtru_ci.domain.promise import Promise
from memtru_ci.trial.policy_trial import PolicyTrial
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


@dataclass(frozen=True)
class JointScenario:
    """A promise that is tested together with others of its kind, on one instance.

    Each stage is performed for all of them before the next one begins.
    """

    promise: Promise
    stages: tuple[Callable[[PolicyTrial], Awaitable[None]], ...]

    @property
    def id(self) -> str:
        """Its public id, for example `MT-LP-001`."""
        return self.promise.id


AnyScenario = Scenario | JointScenario
