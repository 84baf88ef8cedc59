"""Scenarios on one instance: stage by stage, over one restart, each with a result of its own."""

from collections import deque
from typing import Any

import pytest

from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.timeline import Action, Outcome
from memtru_ci.errors import EngineError
from memtru_ci.scenarios import SUITES
from tests.fakes import (
    EVERYTHING,
    LOST,
    MALFORMED,
    NO_ANSWER,
    POLICY,
    FakeClock,
    FakeTarget,
    FakeWorld,
    Fault,
    dead,
)
from tests.performing import DELETED, Performance, actions, event

THREE = ("MT-LP-001", "MT-LP-017", "MT-LP-025")
PASS = ("PASS", None, None)


def policy_world(**facts: Any) -> FakeWorld:
    """A correct service with the policy's calls."""
    made = FakeWorld(FakeClock(), EVERYTHING | POLICY)
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def perform(made: FakeWorld | FakeTarget, *scenarios: str) -> Performance:
    target = made if isinstance(made, FakeTarget) else FakeTarget([made])
    return Performance(target, *(scenarios or THREE)).go()


def verdicts(performance: Performance) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.verdict.value, one.cause and one.cause.value, one.trigger and one.trigger.value)
        for one in performance.run.results
    ]


def of_operations(made: FakeWorld) -> list[str]:
    return [one.operation for one in made.sent]


def restart_of(result: ScenarioResult) -> Any:
    return event(result, Action.RESTART).restart


def test_all_cases_share_one_instance_and_one_restart() -> None:
    target = FakeTarget([policy_world()])
    performance = perform(target)

    assert verdicts(performance) == [PASS] * 3
    (instance,) = target.started_instances
    assert instance.restarts == 1
    assert len({restart_of(one) for one in performance.run.results}) == 1


def test_each_stage_is_done_for_all_before_the_next_begins() -> None:
    made = policy_world()
    perform(made)

    sent = [one for one in of_operations(made) if one != "capabilities"]
    assert sent == ["policy_events"] * 5 + ["policy_query"] * 6
    assert made.answered["capabilities"] == 3


def test_a_record_holds_events_answers_restart_and_answers() -> None:
    performance = perform(policy_world(), "MT-LP-017")

    assert actions(performance.result) == [
        "post_policy_event",
        "post_policy_event",
        "ask_policy",
        "restart",
        "ask_policy",
    ]


def test_ids_and_sessions_are_those_of_the_case_alone() -> None:
    made = policy_world()
    performance = perform(made)

    names = [one.record.namespace for one in performance.run.results if one.record]
    prefixes = {one.id.rpartition(".")[0] for one in made.policy.events()}
    assert prefixes == set(names)
    assert {one.session.rpartition(".")[0] for one in made.policy.events()} == set(names)


def test_what_is_forgotten_in_the_restart_is_found_with_its_trigger() -> None:
    made = policy_world()
    made.after["instance.restart"] = lambda _: made.policy.__init__()  # type: ignore[misc]

    assert verdicts(perform(made, "MT-LP-001")) == [("FAIL", "policy_violated", "restart")]


def test_without_a_restart_the_cases_pass_and_say_so() -> None:
    made = policy_world(capabilities=EVERYTHING - {"LIFECYCLE_RESTART"} | POLICY)
    performance = perform(FakeTarget([made], can_restart=False))

    assert verdicts(performance) == [PASS] * 3
    for one in performance.run.results:
        assert "restart" not in actions(one)
        assert one.notes == ["The restart step was left out: nothing can restart this instance."]


def test_the_services_own_restart_is_called_once_and_is_on_every_record() -> None:
    made = policy_world()
    performance = perform(FakeTarget([made], can_restart=False))

    assert verdicts(performance) == [PASS] * 3
    assert of_operations(made).count("restart") == 1
    for one in performance.run.results:
        receipt = event(one, Action.RESTART).receipt
        assert receipt is not None
        assert receipt.executed


def test_a_restart_hook_that_did_not_run_proves_nothing_for_any_case() -> None:
    made = policy_world(receipts={"restart": {"executed": False, "detail": "no supervisor"}})
    performance = perform(FakeTarget([made], can_restart=False))

    assert verdicts(performance) == [("INCONCLUSIVE", "hook_not_executed", None)] * 3
    assert of_operations(made).count("restart") == 1


def test_a_restart_that_the_target_does_not_survive_ends_every_case() -> None:
    target = FakeTarget([policy_world()], restart_fails=dead())

    assert verdicts(perform(target)) == [("ERROR", "target_lost", None)] * 3


def test_a_restart_of_unknown_outcome_proves_nothing_for_any_case() -> None:
    target = FakeTarget([policy_world()], restart_fails=EngineError("the engine is busy"))

    assert verdicts(perform(target)) == [("INCONCLUSIVE", "evidence_incomplete", None)] * 3


@pytest.mark.parametrize(
    ("operation", "fault", "expected"),
    [
        ("policy_events", Fault(status=500), ("ERROR", "provider_error", None)),
        ("policy_query", Fault(status=500), ("ERROR", "provider_error", None)),
        ("policy_query", MALFORMED, ("ERROR", "contract_violation", None)),
        ("policy_events", NO_ANSWER, ("INCONCLUSIVE", "evidence_incomplete", None)),
    ],
)
def test_what_goes_wrong_in_one_case_leaves_the_others_alone(
    operation: str, fault: Fault, expected: tuple[str, str, None]
) -> None:
    made = policy_world()
    made.faults[operation] = deque([None, fault])

    assert verdicts(perform(made)) == [PASS, expected, PASS]


def test_a_target_that_is_lost_ends_the_cases_and_no_other_scenario() -> None:
    made = policy_world()
    made.faults["policy_query"] = deque([None, LOST])
    performance = perform(FakeTarget([policy_world(), made]), DELETED, *THREE)

    assert verdicts(performance) == [PASS, *[("ERROR", "target_lost", None)] * 3]
    assert of_operations(made).count("policy_query") == 2


def test_a_wrong_answer_stands_where_the_target_is_lost_later() -> None:
    made = policy_world()
    made.after["policy_events"] = lambda _: made.policy.__init__()  # type: ignore[misc]
    made.faults["policy_query"] = deque([None, None, LOST])

    assert verdicts(perform(made))[0] == ("FAIL", "policy_violated", None)
    assert verdicts(perform(made))[2][0] == "PASS"


def test_three_cases_in_a_row_without_an_answer_spare_the_others_the_wait() -> None:
    made = policy_world(always={"policy_events": NO_ANSWER})
    performance = perform(made, *SUITES["policy"][2:])

    assert {one.verdict.value for one in performance.run.results} == {"INCONCLUSIVE"}
    assert {one.cause for one in performance.run.results} == {"evidence_incomplete"}
    assert of_operations(made).count("policy_events") == 3
    assert "in a row" in performance.run.results[-1].reason


def test_a_service_without_the_calls_skips_every_case() -> None:
    assert (
        verdicts(perform(FakeWorld(FakeClock(), EVERYTHING)))
        == [("SKIPPED", "missing_capability", None)] * 3
    )


@pytest.mark.parametrize("operation", ["policy_events", "policy_query"])
def test_a_call_that_is_advertised_and_not_there_is_dropped_once(operation: str) -> None:
    made = policy_world(always={operation: Fault(status=501)})
    performance = perform(made)

    assert {one[:2] for one in verdicts(performance)} == {("SKIPPED", "missing_capability")}
    assert of_operations(made).count(operation) == 1
    assert sum("is dropped" in one for one in performance.run.warnings) == 1


def test_questions_wait_once_for_the_consistency_window() -> None:
    made = policy_world(consistency_window_ms=3000)
    performance = perform(made)

    assert verdicts(performance) == [PASS] * 3
    asked = [event(one, Action.ASK_POLICY).started_ms for one in performance.run.results]
    assert min(asked) >= 3000
    assert max(asked) < 3200


def test_a_run_that_is_interrupted_keeps_what_was_finished() -> None:
    made = policy_world()
    target = FakeTarget([made])
    performance = Performance(target, *THREE)
    count = 0

    def cancel(_: str) -> None:
        nonlocal count
        count += 1
        if count == 5:  # the second case is asked again after the restart
            performance.cancel()

    made.after["policy_query"] = cancel
    performance.go()

    assert verdicts(performance) == [PASS, PASS, ("INCONCLUSIVE", "evidence_incomplete", None)]
    assert target.ended == 1


def test_a_run_that_is_interrupted_while_it_posts_has_a_result_for_every_case() -> None:
    made = policy_world()
    performance = Performance(FakeTarget([made]), *THREE)
    made.after["policy_events"] = lambda _: performance.cancel()
    performance.go()

    assert verdicts(performance) == [("INCONCLUSIVE", "evidence_incomplete", None)] * 3


def test_events_that_stay_in_a_service_are_named() -> None:
    shared = perform(FakeTarget([policy_world()], is_shared=True))
    own = perform(policy_world())

    assert all(
        "no call of the contract deletes them" in str(one.cleanup.left)
        for one in shared.run.results
    )
    assert all(one.cleanup.left == [] for one in own.run.results)


def test_progress_tells_of_many_cases_in_a_few_words() -> None:
    performance = perform(policy_world(), *SUITES["policy"][:30])

    assert performance.progress.started == ["MT-LP-001 to MT-LP-030"]
    assert [one.action for one in performance.progress.events] == [Action.RESTART]
    assert performance.progress.ended == [("MT-LP-001 to MT-LP-030", "PASS")]


def test_progress_tells_everything_of_a_single_case() -> None:
    performance = perform(policy_world(), "MT-LP-017")

    assert len(performance.progress.events) == 5
    assert performance.progress.ended == [("MT-LP-017", "PASS")]


def test_a_target_that_does_not_start_is_an_error_for_every_case() -> None:
    target = FakeTarget([policy_world()], start_fails=deque([dead()]))

    assert verdicts(perform(target)) == [("ERROR", "target_lost", None)] * 3


def test_a_service_that_never_tells_what_it_can_is_an_error() -> None:
    made = policy_world(always={"capabilities": Fault(status=500)})
    performance = perform(made)

    assert verdicts(performance) == [("ERROR", "provider_error", None)] * 3
    assert event(performance.run.results[0], Action.ASK_CAPABILITIES).outcome is not Outcome.DONE


def test_the_whole_suite_passes_on_a_correct_service() -> None:
    performance = perform(policy_world(), *SUITES["policy"])

    assert {one.verdict.value for one in performance.run.results} == {"PASS"}
