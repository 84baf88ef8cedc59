"""The scenario catalogue: one file each, listed here."""

from memtru_ci.domain.promise import Promise
from memtru_ci.scenario import Scenario
from memtru_ci.scenarios.delete_effective import DELETE_EFFECTIVE
from memtru_ci.scenarios.late_write import LATE_WRITE
from memtru_ci.scenarios.reingestion import REINGESTION

SCENARIOS: tuple[Scenario, ...] = (LATE_WRITE, REINGESTION, DELETE_EFFECTIVE)

SUITES: dict[str, tuple[str, ...]] = {
    "afterlife": tuple(one.id for one in SCENARIOS if one.promise.suite == "afterlife"),
    "deletion": tuple(one.id for one in SCENARIOS if one.promise.suite == "deletion"),
    "all": tuple(one.id for one in SCENARIOS),
}

PROMISES: dict[str, Promise] = {one.id: one.promise for one in SCENARIOS}
