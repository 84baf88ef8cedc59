"""The policy suite by defect on the embedded reference service, and what the baseline comes to."""

import random
from collections.abc import Mapping, Sequence

import anyio
import pytest

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.timeline import Action
from memtru_ci.policy import cases
from memtru_ci.policy.baseline import AppendOnlyStore
from memtru_ci.reference.defects import DEFECTS
from memtru_ci.run import Run
from memtru_ci.scenario import JointScenario
from memtru_ci.scenarios.policy_cases import POLICY_CASES
from memtru_ci.targets.embedded import EmbeddedTarget
from tests.fakes import RecordingProgress
from tests.matrix.expectations import CORRECT, POLICY_DEFECTS

AT_ONCE = 4
Results = Mapping[str, list[ScenarioResult]]


def baseline_matches() -> dict[str, bool]:
    """Which cases an append-only store answers with exactly the expected ids."""
    matches = {}
    for case in cases.load():
        store = AppendOnlyStore()
        store.add_all(case.events)
        matches[case.name] = all(
            one.is_met_by(store.query(one.query).ids) for one in case.questions
        )
    return matches


def _cases(defect: str) -> Sequence[JointScenario]:
    """All of them where the policy is what is tested, else every sixth."""
    is_whole = defect in {CORRECT, *POLICY_DEFECTS}
    return POLICY_CASES if is_whole else POLICY_CASES[::6]


async def _results(defect: str) -> list[ScenarioResult]:
    run = Run(
        EmbeddedTarget(None if defect == CORRECT else defect),
        _cases(defect),
        window_ms=1000,
        seed=random.randrange(2**32),
        clock=MonotonicClock(),
        progress=RecordingProgress(),
    )
    await run.perform()
    run.conclude()
    return run.results


async def _all() -> Results:
    results: dict[str, list[ScenarioResult]] = {}
    room = anyio.CapacityLimiter(AT_ONCE)

    async def put(defect: str) -> None:
        async with room:
            results[defect] = await _results(defect)

    async with anyio.create_task_group() as group:
        for defect in (CORRECT, *DEFECTS):
            group.start_soon(put, defect)
    return results


@pytest.fixture(scope="module")
def results() -> Results:
    """A run of the whole suite for each defect."""
    return anyio.run(_all)


@pytest.mark.parametrize("defect", sorted({CORRECT, *DEFECTS} - POLICY_DEFECTS))
def test_what_breaks_no_policy_passes_its_cases(results: Results, defect: str) -> None:
    bad = [one.reason for one in results[defect] if one.verdict != "PASS"]
    assert bad == []
    assert [one.scenario for one in results[defect]] == [one.id for one in _cases(defect)]


def test_an_append_only_service_passes_just_the_cases_that_the_baseline_matches(
    results: Results,
) -> None:
    matches = baseline_matches()
    for scenario, result in zip(POLICY_CASES, results["append_only"], strict=True):
        assert scenario.promise.policy is not None
        expected = "PASS" if matches[scenario.promise.policy.name] else "FAIL"
        assert result.verdict == expected, result.reason
        assert result.cause == (None if expected == "PASS" else "policy_violated")
        assert result.trigger is None
    assert 0 < sum(matches.values()) < len(matches)


def test_every_case_is_asked_before_and_after_one_and_the_same_restart(results: Results) -> None:
    restarts = set()
    for result in results[CORRECT]:
        assert result.record is not None
        (restart,) = result.record.of(Action.RESTART)
        assert restart.restart is not None
        restarts.add((restart.restart.old_started_at, restart.restart.new_started_at))
        asked = [one.seq > restart.seq for one in result.record.of(Action.ASK_POLICY)]
        assert asked.count(True) == asked.count(False) > 0
    assert len(restarts) == 1
