"""The parts that a run is put together from, as arguments, so that tests can hand in others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.assembly.surroundings import Surroundings
from memtru_ci.assembly.targets import make_target
from memtru_ci.domain.report import ScenarioResult, ServiceFacts
from memtru_ci.ports import Clock, Target
from memtru_ci.settings.file import LoadedSettings


class Performing(Protocol):
    """A run, as far as it matters here."""

    @property
    def results(self) -> Sequence[ScenarioResult]: ...

    @property
    def warnings(self) -> Sequence[str]: ...

    @property
    def service(self) -> ServiceFacts | None: ...

    async def perform(self) -> None:
        """Perform every scenario; may be cancelled at any moment, and cleans up then."""
        ...

    def conclude(self, interrupted: str = "") -> None:
        """Add a result for every scenario that was not performed."""
        ...


@dataclass(frozen=True)
class Parts:
    """Scenarios, and what makes targets and runs."""

    scenarios: Sequence[Any]
    suites: Mapping[str, Sequence[str]]
    make_target: Callable[[LoadedSettings, Surroundings, str], Target]
    make_run: Callable[..., Performing]
    clock: Clock

    def chosen(self, ids: Sequence[str]) -> list[Any]:
        """The scenarios with these ids, in the catalogue's order."""
        return [one for one in self.scenarios if one.promise.id in ids]

    @property
    def known(self) -> list[str]:
        """The ids of all scenarios."""
        return [one.promise.id for one in self.scenarios]


def real_parts() -> Parts:
    """What the gate is really made of."""
    from memtru_ci.run import Run
    from memtru_ci.scenarios import SCENARIOS, SUITES

    return Parts(SCENARIOS, SUITES, make_target, Run, MonotonicClock())
