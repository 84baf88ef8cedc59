"""What a trial makes of a service that errs, does not answer, or dies."""

from collections import deque

import pytest

from memtru_ci.domain.timeline import Action
from memtru_ci.errors import EngineError
from tests.fakes import LOST, MALFORMED, NO_ANSWER, FakeTarget, FakeWorld, Fault, dead
from tests.performing import (
    AGAIN,
    DELETED,
    LATE,
    actions,
    event,
    perform,
    world,
)

ABSENT = Fault(status=501)
CALLS = {
    LATE: (
        "write",
        "retrieval_surfaces",
        "begin_pending_write",
        "delete",
        "release_pending_writes",
    ),
    AGAIN: ("record_conversation", "consolidate", "delete", "start_session"),
    DELETED: ("write", "delete"),
}
EVERY_CALL = [(scenario, one) for scenario, calls in CALLS.items() for one in calls]


def failing(operation: str, *faults: Fault | None) -> FakeWorld:
    """A correct service whose next answers to an operation are these."""
    made = world()
    made.faults[operation] = deque(faults)
    return made


# --- one failing call -----------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "operation"), EVERY_CALL)
@pytest.mark.parametrize(
    ("fault", "verdict", "cause"),
    [
        (Fault(status=500), "ERROR", "provider_error"),
        (Fault(status=409), "ERROR", "provider_error"),
        (MALFORMED, "ERROR", "contract_violation"),
        (LOST, "ERROR", "target_lost"),
    ],
    ids=lambda one: getattr(one, "kind", None),
)
def test_a_call_that_fails_is_an_error(
    scenario: str, operation: str, fault: Fault, verdict: str, cause: str
) -> None:
    assert perform(failing(operation, fault), scenario).verdict == (verdict, cause, None)


@pytest.mark.parametrize(("scenario", "operation"), EVERY_CALL)
@pytest.mark.parametrize("done", [False, True], ids=["lost on the way", "done all the same"])
def test_a_call_without_an_answer_is_sent_once_and_its_outcome_unknown(
    scenario: str, operation: str, done: bool
) -> None:
    made = failing(operation, Fault("no_answer", after_effect=done))
    performance = perform(made, scenario)
    result = performance.result
    assert result.record is not None
    namespace = result.record.namespace
    unanswered = [one for one in result.record.events if one.outcome.value == "no_answer"]

    blocked = scenario == LATE and operation == "delete"
    cause = "delete_blocked_by_held_write" if blocked else "evidence_incomplete"
    assert performance.verdict == ("INCONCLUSIVE", cause, None)
    assert len(unanswered) == 1
    if operation != "delete":  # cleanup deletes what was written
        assert made.sends(operation, namespace) == 1


@pytest.mark.parametrize("status", [501, 405, 404])
@pytest.mark.parametrize(
    ("scenario", "operation"),
    [
        (LATE, "begin_pending_write"),
        (AGAIN, "record_conversation"),
        (LATE, "write"),
        (LATE, "search"),
    ],
)
def test_a_required_capability_that_turns_out_not_to_be_there_is_dropped(
    scenario: str, operation: str, status: int
) -> None:
    performance = perform(failing(operation, Fault(status=status)), scenario)

    assert performance.verdict == ("SKIPPED", "missing_capability", None)
    assert any("dropped for this run" in one for one in performance.run.warnings)


@pytest.mark.parametrize("status", [405, 501])
def test_a_delete_that_is_not_there_is_dropped_and_one_that_finds_nothing_is_an_error(
    status: int,
) -> None:
    assert perform(failing("delete", Fault(status=status)), DELETED).verdict[0] == "SKIPPED"
    assert perform(failing("delete", Fault(status=404)), DELETED).verdict == (
        "ERROR",
        "provider_error",
        None,
    )


def test_a_capability_is_not_dropped_once_another_endpoint_of_it_has_worked() -> None:
    performance = perform(failing("release_pending_writes", ABSENT), LATE)

    assert performance.verdict == ("ERROR", "provider_error", None)


def test_a_capability_is_not_dropped_by_an_endpoint_that_answered_before() -> None:
    made = world()
    made.faults["list"] = deque([Fault(status=500)])
    made.always["list"] = ABSENT

    assert perform(made, LATE).verdict == ("ERROR", "surface_unreadable", None)


def test_a_list_that_is_not_there_is_dropped_and_the_rest_goes_on() -> None:
    made = world()
    made.always["list"] = ABSENT
    performance = perform(made, LATE)

    assert performance.verdict == ("PASS", None, None)
    assert made.sends("list") == 1
    assert any("MEMORY_LIST" in one for one in performance.run.warnings)


def test_surfaces_that_are_not_there_are_dropped_and_the_rest_goes_on() -> None:
    made = world()
    made.always["retrieval_surfaces"] = Fault(status=404)

    assert perform(made, LATE).verdict == ("PASS", None, None)


def test_a_session_start_that_is_not_there_is_left_out_where_there_is_consolidation() -> None:
    made = world()
    made.always["start_session"] = ABSENT
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert "after_session" not in actions(result)


def test_consolidation_that_is_not_there_gives_way_to_session_starts() -> None:
    made = world()
    made.always["consolidate"] = ABSENT
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert made.sends("consolidate") == 1


def test_no_way_to_ingest_at_all_is_skipped() -> None:
    made = world()
    made.always["consolidate"] = made.always["start_session"] = ABSENT

    assert perform(made, AGAIN).verdict == ("SKIPPED", "missing_capability", None)


def test_a_restart_hook_that_is_not_there_is_left_out() -> None:
    made = world()
    made.always["restart"] = ABSENT
    result = perform(FakeTarget([made], can_restart=False), LATE).result

    assert result.verdict == "PASS", result.reason
    assert "after_restart" not in actions(result)
    assert any("restart" in note for note in result.notes)


# --- hooks that did not run -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "hook"),
    [
        (LATE, "begin_pending_write"),
        (LATE, "release_pending_writes"),
        (AGAIN, "record_conversation"),
        (AGAIN, "start_session"),
        (AGAIN, "consolidate"),
    ],
)
def test_a_hook_that_did_not_run_proves_nothing(scenario: str, hook: str) -> None:
    made = world()
    made.receipts[hook] = {"executed": False, "detail": "no model is configured"}
    performance = perform(made, scenario)

    assert performance.verdict == ("INCONCLUSIVE", "hook_not_executed", None)
    assert "no model is configured" in performance.result.reason


def test_a_release_of_nothing_proves_nothing() -> None:
    made = world()
    made.receipts["release_pending_writes"] = {"processed": 0}
    performance = perform(made, LATE)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert actions(performance.result)[-1] == "after_failure"


def test_a_hold_that_delivers_nothing_gates_a_pass() -> None:
    made = world()
    made.after["begin_pending_write"] = lambda namespace: made.held.pop(namespace, None)
    made.receipts["release_pending_writes"] = {"processed": 1}

    assert perform(made, LATE).verdict == ("INCONCLUSIVE", "held_write_not_processed", None)


def test_a_receipt_with_null_in_its_optional_fields_is_a_receipt() -> None:
    made = world()
    for hook in ("begin_pending_write", "release_pending_writes"):
        made.receipts[hook] = {"detail": None, "created": None}

    assert perform(made, LATE).verdict == ("PASS", None, None)


# --- held writes ----------------------------------------------------------------------------------


def test_a_delete_that_waits_for_the_held_write_gets_it_released() -> None:
    made = failing("delete", NO_ANSWER)
    performance = perform(made, LATE)

    assert performance.verdict == ("INCONCLUSIVE", "delete_blocked_by_held_write", None)
    assert made.sends("release_pending_writes") == 1
    assert not any(made.held.values())
    assert any("released" in note for note in performance.result.notes)


@pytest.mark.parametrize("fault", [Fault(status=500), MALFORMED, LOST], ids=lambda one: one.kind)
def test_a_held_write_is_released_where_the_trial_ends_early(fault: Fault) -> None:
    made = failing("delete", fault)
    perform(made, LATE)

    assert made.sends("release_pending_writes") == 1
    assert not any(made.held.values())


def test_a_held_write_is_released_where_the_marker_never_goes() -> None:
    made = world(honours_tombstones=False)
    made.after["delete"] = lambda namespace: made.release(namespace) and None
    perform(made, LATE)

    assert made.sends("release_pending_writes") == 1


def test_the_write_of_the_hold_control_is_released_too_where_the_trial_ends_early() -> None:
    made = failing("begin_pending_write", None, Fault("no_answer", after_effect=True))
    performance = perform(made, LATE)
    record = performance.result.record
    assert record is not None

    assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
    assert made.sends("release_pending_writes", f"{record.namespace}-control") == 1
    assert made.sends("release_pending_writes", record.namespace) == 1
    assert not any(made.held.values())


def test_a_release_without_an_answer_is_not_sent_again() -> None:
    made = failing("release_pending_writes", NO_ANSWER)
    performance = perform(made, LATE)

    assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
    assert made.sends("release_pending_writes") == 1
    assert actions(performance.result)[-1] == "after_failure"


# --- a reappearance goes before everything --------------------------------------------------------


@pytest.mark.parametrize(
    "operation", ["start_session", "consolidate", "record_conversation", "release"]
)
def test_a_sighting_in_the_look_after_a_failed_event_is_a_fail(operation: str) -> None:
    scenario, name = (
        (LATE, "release_pending_writes") if operation == "release" else (AGAIN, operation)
    )
    made = world(honours_tombstones=False)
    skipped = {"record_conversation": 2, "consolidate": 1}.get(name, 0)
    made.faults[name] = deque([*([None] * skipped), Fault("no_answer", after_effect=True)])
    if name in ("consolidate", "record_conversation"):
        made.capabilities -= {"LIFECYCLE_NEW_SESSION"}
    if name == "record_conversation":
        made.after[name] = lambda namespace: made.ingest(namespace) and None

    assert perform(made, scenario).verdict[0] == "FAIL"


def test_a_fail_stays_a_fail_where_the_restart_fails_later() -> None:
    target = FakeTarget([world(honours_tombstones=False)], restart_fails=dead())
    performance = perform(target, LATE)

    expected = ("FAIL", "late_write_resurrected", "release_pending_writes")
    assert performance.verdict == expected
    assert "no space left" in performance.result.log_tail


def test_a_fail_stays_a_fail_where_a_hook_errs_later() -> None:
    made = world(honours_tombstones=False)
    made.faults["consolidate"] = deque([None, Fault(status=500)])

    expected = ("FAIL", "history_reingestion_resurrected", "start_session")
    assert perform(made, AGAIN).verdict == expected


# --- reads that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (Fault(status=503), "surface_unreadable"),
        (NO_ANSWER, "surface_unreadable"),
        (MALFORMED, "contract_violation"),
    ],
)
@pytest.mark.parametrize("surface", ["search", "list", "profile"])
def test_a_surface_that_can_not_be_read_after_an_event_is_an_error(
    surface: str, fault: Fault, cause: str
) -> None:
    made = world()
    made.after["release_pending_writes"] = lambda _: made.always.update({surface: fault})

    assert perform(made, LATE).verdict == ("ERROR", cause, None)


def test_reads_that_fail_now_and_then_are_repeated() -> None:
    made = world()

    def shaky(_: str) -> None:
        made.faults["search"] = deque([Fault(status=503), NO_ANSWER])

    made.after["release_pending_writes"] = shaky

    assert perform(made, LATE).verdict == ("PASS", None, None)


def test_slow_reads_do_not_cover_a_window() -> None:
    made = world()
    made.after["release_pending_writes"] = lambda _: made.slow.update(profile=1.7)

    assert perform(made, LATE).verdict == ("INCONCLUSIVE", "window_not_covered", None)


def test_a_slow_service_passes() -> None:
    assert perform(world(latency_s=0.2), LATE).verdict == ("PASS", None, None)
    assert perform(world(latency_s=0.2), DELETED).verdict == ("PASS", None, None)


# --- targets that die -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation", ["write", "begin_pending_write", "delete", "release_pending_writes"]
)
def test_a_target_that_dies_is_an_error_with_its_last_words(operation: str) -> None:
    made = world()
    made.after[operation] = lambda _: setattr(made, "alive", False)
    performance = perform(made, LATE)

    assert performance.verdict == ("ERROR", "target_lost", None)
    assert "out of memory" in performance.result.reason
    assert "out of memory" in performance.result.log_tail
    assert performance.result.cleanup.left


@pytest.mark.parametrize(
    "operation", ["write", "search", "begin_pending_write", "delete", "release_pending_writes"]
)
def test_a_target_that_dies_over_an_answer_is_lost_too(operation: str) -> None:
    made = failing(operation, Fault("no_answer", after_effect=True))
    made.after[operation] = lambda _: setattr(made, "alive", False)
    performance = perform(made, LATE)

    assert performance.verdict == ("ERROR", "target_lost", None)
    assert "out of memory" in performance.result.log_tail


def test_a_target_that_dies_before_it_says_what_it_is_leaves_its_last_words_too() -> None:
    performance = perform(world(alive=False), LATE)

    assert performance.verdict == ("ERROR", "target_lost", None)
    assert "out of memory" in performance.result.log_tail


def test_a_target_that_does_not_come_back_from_its_restart_is_lost() -> None:
    performance = perform(FakeTarget([world()], restart_fails=dead()), LATE)

    assert performance.verdict == ("ERROR", "target_lost", None)
    assert "no space left" in performance.result.reason


def test_a_restart_that_the_engine_refused_has_an_unknown_outcome() -> None:
    performance = perform(FakeTarget([world()], restart_fails=EngineError("refused")), LATE)

    assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
    assert actions(performance.result)[-1] == "after_failure"


def test_a_restart_without_a_new_process_proves_nothing() -> None:
    target = FakeTarget([world()], restarts_nothing=True)

    assert perform(target, LATE).verdict == ("INCONCLUSIVE", "hook_not_executed", None)


@pytest.mark.parametrize("fault", [Fault(status=500), MALFORMED, NO_ANSWER, ABSENT])
def test_a_service_that_does_not_say_what_it_is_never_passes(fault: Fault) -> None:
    performance = perform(failing("capabilities", fault), LATE)

    assert performance.verdict[0] in ("ERROR", "INCONCLUSIVE")
    assert actions(performance.result) == ["ask_capabilities"]
    assert event(performance.result, Action.ASK_CAPABILITIES).evidence_steps
