"""A run: instances, targets that do not start, interruptions, and one result for each scenario."""

from collections import deque

import anyio
import pytest

from memtru_ci.errors import EngineError
from memtru_ci.run import Run
from memtru_ci.scenarios import SCENARIOS
from memtru_ci.targets.embedded import EmbeddedTarget
from tests.fakes import FakeClock, FakeTarget, Fault, RecordingProgress, dead
from tests.performing import AGAIN, DELETED, LATE, Performance, world

ALL = (LATE, AGAIN, DELETED)


def verdicts(performance: Performance) -> list[str]:
    return [one.verdict.value for one in performance.run.results]


def scenarios(performance: Performance) -> list[str]:
    return [one.scenario for one in performance.run.results]


def test_each_scenario_has_a_fresh_instance() -> None:
    made = world()
    target = FakeTarget([made, made, made])
    performance = Performance(target, *ALL).go()

    assert verdicts(performance) == ["PASS"] * 3
    assert len(target.started_instances) == target.ended == 3


def test_a_shared_target_has_one_instance() -> None:
    target = FakeTarget([world()], is_shared=True, can_restart=False)
    performance = Performance(target, *ALL).go()

    assert verdicts(performance) == ["PASS"] * 3
    assert len(target.started_instances) == target.ended == 1


def test_each_scenario_has_a_namespace_of_its_own_and_the_seed_gives_it() -> None:
    one, two = (Performance(FakeTarget([world()]), *ALL).go() for _ in range(2))
    names = [result.record.namespace for result in one.run.results if result.record]

    assert len(set(names)) == 3
    assert names == [result.record.namespace for result in two.run.results if result.record]


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("failure", [dead(), EngineError("no engine")])
def test_a_target_that_never_starts_is_an_error_for_every_scenario(
    is_shared: bool, failure: Exception
) -> None:
    target = FakeTarget([world()], is_shared=is_shared, start_fails=deque([failure]))
    performance = Performance(target, *ALL).go()

    assert scenarios(performance) == list(ALL)
    assert {(one.verdict, one.cause) for one in performance.run.results} == {
        ("ERROR", "target_lost")
    }
    assert all(str(failure) in one.reason for one in performance.run.results)
    assert target.ended == 0


def test_a_target_that_does_not_start_again_ends_one_scenario_only() -> None:
    made = world()
    target = FakeTarget([made], start_fails=deque([None, dead(), None]))
    performance = Performance(target, *ALL).go()

    assert verdicts(performance) == ["PASS", "ERROR", "PASS"]


def test_a_target_that_is_lost_ends_the_scenarios_on_that_instance_and_no_others() -> None:
    lost, well = world(), world()
    well.clock = lost.clock
    lost.after["delete"] = lambda _: setattr(lost, "alive", False)
    performance = Performance(FakeTarget([lost, well]), *ALL).go()

    assert verdicts(performance) == ["ERROR", "PASS", "PASS"]


def test_a_shared_target_that_is_lost_is_lost_for_all() -> None:
    lost = world()
    lost.after["delete"] = lambda _: setattr(lost, "alive", False)
    performance = Performance(FakeTarget([lost], is_shared=True), *ALL).go()

    assert verdicts(performance) == ["ERROR"] * 3


def test_an_instance_that_can_not_be_removed_is_a_warning() -> None:
    target = FakeTarget([world()], end_fails=EngineError("it could not be removed"))
    performance = Performance(target, *ALL).go()

    assert verdicts(performance) == ["PASS"] * 3
    assert performance.run.warnings.count("it could not be removed") == 3


def test_an_instance_whose_death_can_not_be_examined_has_one_result_all_the_same() -> None:
    made = world()
    made.faults["delete"] = deque([Fault("lost")])
    target = FakeTarget([made], autopsy_fails=EngineError("the engine is gone"))
    performance = Performance(target, *ALL).go()

    assert scenarios(performance) == list(ALL)
    assert verdicts(performance) == ["ERROR", "PASS", "PASS"]
    assert performance.run.results[0].cause == "target_lost"
    assert "the engine is gone" in performance.run.results[0].reason


def test_what_was_not_performed_has_a_result_too() -> None:
    progress = RecordingProgress()
    performance = Performance(FakeTarget([world()]), *ALL, progress=progress)
    progress.on_event = lambda event: performance.cancel() if event.seq == 3 else None
    performance.go()

    assert scenarios(performance) == list(ALL)
    assert verdicts(performance) == ["INCONCLUSIVE"] * 3
    assert "it was interrupted" in performance.run.results[-1].reason
    assert performance.target.ended == 1


def test_a_run_that_is_interrupted_keeps_the_results_it_has() -> None:
    progress = RecordingProgress()
    performance = Performance(FakeTarget([world()]), *ALL, progress=progress)
    progress.on_event = lambda event: (
        performance.cancel() if event.action.value == "find_derived" else None
    )
    performance.go()

    assert verdicts(performance) == ["PASS", "INCONCLUSIVE", "INCONCLUSIVE"]


def test_a_dropped_capability_stays_dropped_for_the_run() -> None:
    made = world()
    made.faults["begin_pending_write"] = deque([Fault(status=501)])
    made.always["list"] = Fault(status=501)
    performance = Performance(FakeTarget([made]), *ALL).go()

    assert verdicts(performance) == ["SKIPPED", "PASS", "PASS"]
    assert made.sends("list") == 1
    assert sum("LIFECYCLE_PENDING_WRITES" in one for one in performance.run.warnings) == 1


def test_a_capability_that_nobody_knows_is_reported_and_ignored() -> None:
    made = world()
    made.capabilities |= {"TELEPATHY"}
    performance = Performance(FakeTarget([made]), *ALL).go()

    assert verdicts(performance) == ["PASS"] * 3
    assert sum("TELEPATHY" in one for one in performance.run.warnings) == 1


def test_what_the_service_says_of_itself_is_kept() -> None:
    performance = Performance(FakeTarget([world(consistency_window_ms=2500)]), DELETED).go()
    service = performance.run.service

    assert service is not None
    assert (service.name, service.consistency_window_ms) == ("fake", 2500)
    assert performance.result.record is not None
    assert performance.result.record.window_ms == 2500


def test_progress_hears_of_every_scenario_and_event() -> None:
    progress = RecordingProgress()
    performance = Performance(FakeTarget([world()]), *ALL, progress=progress).go()
    recorded = [one for result in performance.run.results for one in result.record.events]

    assert progress.started == list(ALL)
    assert [scenario for scenario, _ in progress.ended] == list(ALL)
    assert len(progress.events) == len(recorded)
    assert {action for action, _ in progress.windows} >= {"after_release", "after_session"}


def test_a_run_that_is_cancelled_in_a_real_restart_has_its_result() -> None:
    progress = RecordingProgress()
    run = Run(
        EmbeddedTarget(),
        [one for one in SCENARIOS if one.id == LATE],
        window_ms=500,
        seed=1,
        clock=FakeClock(),
        progress=progress,
    )

    async def perform() -> None:
        with anyio.CancelScope() as scope:
            progress.on_event = lambda event: (
                scope.cancel() if event.action.value == "after_release" else None
            )
            await run.perform()

    anyio.run(perform)
    (result,) = run.results

    assert (result.verdict, result.cause) == ("INCONCLUSIVE", "evidence_incomplete")
    assert any("not running" in one for one in result.cleanup.left)
