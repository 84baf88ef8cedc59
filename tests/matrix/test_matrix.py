"""Scenario by defect on the embedded reference service: verdict, cause and trigger of each pair."""

import random
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.reference.defects import DEFECTS
from memtru_ci.run import Run
from memtru_ci.scenario import Scenario
from memtru_ci.scenarios import ALONE as CATALOGUE
from memtru_ci.targets.embedded import EmbeddedTarget
from tests.fakes import RecordingProgress
from tests.matrix.expectations import (
    BY_THREAD,
    CORRECT,
    MATRIX,
    SCENARIOS,
    Expected,
    window_ms,
)

AT_ONCE = 6
REPEATS = 4
Results = Mapping[tuple[str, str, str], ScenarioResult]


async def _result(scenario: Scenario, defect: str, options: dict[str, Any]) -> ScenarioResult:
    """The result; again where this busy machine, not the service, left a window open."""
    for _ in range(REPEATS):
        result = await _result_once(scenario, defect, options)
        if result.cause != "window_not_covered":
            break
    return result


async def _result_once(scenario: Scenario, defect: str, options: dict[str, Any]) -> ScenarioResult:
    run = Run(
        EmbeddedTarget(None if defect == CORRECT else defect, **options),
        [scenario],
        window_ms=window_ms(defect),
        seed=random.randrange(2**32),
        clock=MonotonicClock(),
        progress=RecordingProgress(),
    )
    await run.perform()
    run.conclude()
    (result,) = run.results
    return result


async def _all() -> Results:
    results: dict[tuple[str, str, str], ScenarioResult] = {}
    room = anyio.CapacityLimiter(AT_ONCE)

    async def put(scenario: Scenario, defect: str, contract: str) -> None:
        options = {} if contract == "memory_record" else {"contract": contract}
        async with room:
            results[scenario.id, defect, contract] = await _result(scenario, defect, options)

    async with anyio.create_task_group() as group:
        for scenario in CATALOGUE:
            for defect in MATRIX:
                group.start_soon(put, scenario, defect, "memory_record")
        for defect in BY_THREAD:
            group.start_soon(put, CATALOGUE[0], defect, "thread_checkpoint")
    return results


@pytest.fixture(scope="module")
def results() -> Results:
    """Every pair, performed side by side."""
    return anyio.run(_all)


def _verdict(result: ScenarioResult) -> Expected:
    return Expected(result.verdict, result.cause, result.trigger)


PAIRS = [(one, defect) for defect in MATRIX for one in SCENARIOS]


@pytest.mark.parametrize(("scenario", "defect"), PAIRS)
def test_a_scenario_says_of_a_defect_what_the_matrix_has(
    results: Results, scenario: str, defect: str
) -> None:
    result = results[scenario, defect, "memory_record"]
    assert _verdict(result) == MATRIX[defect][SCENARIOS.index(scenario)], result.reason
    if result.afterlife:
        assert result.afterlife.deletion_contract == "memory_record"


def test_the_matrix_has_every_defect_and_every_scenario() -> None:
    assert set(MATRIX) == {CORRECT, *DEFECTS}
    assert {one.id for one in CATALOGUE} == set(SCENARIOS)


def test_each_scenario_is_failed_by_some_defect() -> None:
    for index, scenario in enumerate(SCENARIOS):
        failed = [defect for defect, row in MATRIX.items() if row[index].verdict == "FAIL"]
        assert failed, scenario


def test_nothing_is_left_behind_in_the_service(results: Results) -> None:
    left = {key: one.cleanup.left for key, one in results.items() if one.cleanup.left}
    assert left == {}


@pytest.mark.parametrize("defect", BY_THREAD)
def test_a_deleted_thread_keeps_its_own_promise(results: Results, defect: str) -> None:
    result = results["MT-AF-001", defect, "thread_checkpoint"]
    assert _verdict(result) == BY_THREAD[defect], result.reason
    assert result.afterlife is not None
    assert result.afterlife.deletion_contract == "thread_checkpoint"
