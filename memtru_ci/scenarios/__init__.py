"""The scenario catalogue: one file each, listed here."""

from memtru_ci.domain.promise import Promise
from memtru_ci.scenario import AnyScenario, Scenario
from memtru_ci.scenarios.delete_effective import DELETE_EFFECTIVE
from memtru_ci.scenarios.late_write import LATE_WRITE
from memtru_ci.scenarios.policy_cases import POLICY_CASES
from memtru_ci.scenarios.reingestion import REINGESTION

ALONE: tuple[Scenario, ...] = (LATE_WRITE, REINGESTION, DELETE_EFFECTIVE)
"""Each is performed by itself."""

SCENARIOS: tuple[AnyScenario, ...] = (*ALONE, *POLICY_CASES)

SUITES: dict[str, tuple[str, ...]] = {
    "afterlife": tuple(one.id for one in SCENARIOS if one.promise.suite == "afterlife"),
    "deletion": tuple(one.id for one in SCENARIOS if one.promise.suite == "deletion"),
    "policy": tuple(one.id for one in SCENARIOS if one.promise.suite == "policy"),
    "all": tuple(one.id for one in SCENARIOS),
}

PROMISES: dict[str, Promise] = {one.id: one.promise for one in SCENARIOS}
