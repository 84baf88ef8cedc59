"""MT-AF-001 where the gate itself holds the write: sound, proven, and never a create."""

import pytest

from memtru_ci.drivers import hold
from tests.fakes import Fault
from tests.performing import actions, world
from tests.unit.held_records import NO_HOOK, held, idly_held, impatiently_held


@pytest.mark.parametrize("name", ["model_stand_in", "store_proxy", "worker_pause"])
def test_a_service_that_looks_again_before_it_writes_passes(name: str) -> None:
    performance = held(world(NO_HOOK), name)

    assert performance.verdict == ("PASS", None, None), performance.result.reason
    facts = performance.result.hold
    assert facts is not None
    assert facts.mechanism == name
    assert facts.outcome == "404"
    assert facts.control_delivered


@pytest.mark.parametrize("name", ["model_stand_in", "store_proxy", "worker_pause", "withheld_body"])
def test_a_service_that_writes_blindly_fails(name: str) -> None:
    performance = held(world(NO_HOOK, update_is_blind=True), name)

    assert performance.verdict == ("FAIL", "late_write_resurrected", "release_pending_writes")


def test_the_order_of_a_held_write_is_told_from_one_clock() -> None:
    facts = held(world(NO_HOOK)).result.hold
    assert facts is not None

    moments = [
        *(facts.sent, facts.seen_at_hold, facts.delete_sent, facts.delete_acknowledged),
        *(facts.absence_proven, facts.released, facts.write_done),
    ]
    assert None not in moments
    assert moments == sorted(moments)  # type: ignore[type-var]
    assert facts.level == "application"


def test_the_steps_of_a_late_write_that_the_gate_holds() -> None:
    done = actions(held(world(NO_HOOK)).result)

    assert done[:7] == [
        "create_control_write",
        "create_control_bystander",
        "create_control_confirm_retrievable",
        "create_control_delete",
        "create_control_absent",
        "create_control_update",
        "confirm_no_create",
    ]
    assert done[done.index("release_pending_writes") + 1] == "held_write_done"
    assert done[-2:] == ["control_write_done", "confirm_hold"]


def test_the_hook_of_the_service_is_not_called_where_the_gate_holds() -> None:
    made = world()
    held(made)

    assert not [one for one in made.sent if "pending" in one.operation]


def test_without_an_update_there_is_nothing_to_hold() -> None:
    performance = held(world(NO_HOOK, "MEMORY_UPDATE"))

    assert performance.verdict == ("SKIPPED", "missing_capability", None)
    assert "MEMORY_UPDATE" in performance.result.reason


@pytest.mark.parametrize("status", [400, 404, 409, 410, 422])
def test_a_refusal_of_the_late_update_passes(status: int) -> None:
    assert held(world(NO_HOOK, late_status=status)).verdict == ("PASS", None, None)


def test_an_update_that_creates_is_never_held() -> None:
    made = world(NO_HOOK, update_creates=True)
    performance = held(made)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_is_create", None)
    assert "begin_pending_write" not in actions(performance.result)
    assert performance.result.cleanup.left == []


def test_an_update_that_creates_is_a_finding_where_it_was_declared_never_to() -> None:
    made = world(NO_HOOK, update_creates=True)
    performance = held(made, update_never_creates=True)

    assert performance.verdict == ("FAIL", "late_write_resurrected", "release_pending_writes")


def test_a_create_that_shows_late_is_found() -> None:
    made = world(NO_HOOK, update_creates=True)

    def hide(namespace: str) -> None:
        for one in made.memories[namespace].values():
            one.seen_from_ms = max(one.seen_from_ms, made.clock.now_ms + 900)

    made.after["update"] = hide

    assert held(made).verdict == ("INCONCLUSIVE", "held_write_is_create", None)


def test_a_write_held_on_the_wire_is_never_a_pass() -> None:
    performance = held(world(NO_HOOK), "withheld_body")

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "begun with it" in performance.result.reason


def test_a_write_that_never_comes_to_the_hold_says_what_to_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hold, "ACCEPTED_S", 0.05)
    performance = held(world(NO_HOOK), misses=True)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "does the service use the variable?" in performance.result.reason


@pytest.mark.parametrize("name", ["model_stand_in", "store_proxy", "worker_pause"])
def test_what_holds_nothing_back_is_no_hold(name: str) -> None:
    performance = idly_held(name)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "visible while it was held" in performance.result.reason


@pytest.mark.parametrize("name", ["model_stand_in", "store_proxy", "worker_pause"])
def test_an_update_that_is_applied_at_once_and_slow_to_show_is_no_held_write(name: str) -> None:
    made = world(NO_HOOK)

    def hide(namespace: str) -> None:
        if namespace.endswith("-control"):
            for one in made.memories[namespace].values():
                one.seen_from_ms = max(one.seen_from_ms, made.clock.now_ms + 900)

    made.after["update"] = hide
    performance = idly_held(name, made)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)


def test_a_service_that_does_not_wait_for_what_is_held_did_not_hold_its_write() -> None:
    performance = impatiently_held()

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "stop waiting" in performance.result.reason


@pytest.mark.parametrize("name", ["model_stand_in", "store_proxy", "worker_pause"])
def test_a_write_that_is_refused_while_it_is_held_is_none_that_comes_late(name: str) -> None:
    performance = impatiently_held(name, refusal=409)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "refused the write before it was released" in performance.result.reason


def test_a_run_that_shows_its_input_at_once_is_held_all_the_same() -> None:
    made = world(NO_HOOK, "MEMORY_DELETE", runs_show_input=True)

    assert held(made).verdict == ("PASS", None, None)


def test_a_run_whose_input_alone_shows_is_no_control_of_the_hold() -> None:
    made = world(NO_HOOK, "MEMORY_DELETE", runs_show_input=True)
    made.faults["run"].extend([None, Fault("status", 409)])

    assert held(made).verdict == ("INCONCLUSIVE", "held_write_not_processed", None)


def test_a_held_write_that_ends_with_a_server_error_proves_nothing() -> None:
    made = world(NO_HOOK)
    made.late_status = 500
    performance = held(made)

    assert performance.verdict[:2] == ("INCONCLUSIVE", "evidence_incomplete")


def test_a_delete_that_waits_for_the_held_write_is_released() -> None:
    made = world(NO_HOOK)
    # The first delete is the create control's.
    made.faults["delete"].extend([None, Fault("no_answer")])
    performance = held(made)

    assert performance.verdict[:2] == ("INCONCLUSIVE", "delete_blocked_by_held_write")
    assert "A held write was released: the trial ended early." in performance.result.notes


def test_a_run_of_the_service_is_held_with_a_neutral_input_under_a_thread_contract() -> None:
    made = world(NO_HOOK, "MEMORY_DELETE", update_is_blind=True)
    performance = held(made)

    assert performance.verdict == ("FAIL", "late_write_resurrected", "release_pending_writes")
    record = performance.result.record
    assert record is not None
    assert record.marker is not None
    (run,) = [
        one for one in made.sent if one.operation == "run" and "-control" not in one.namespace
    ]
    assert record.marker.secret not in str(run.body)
    assert "create_control_write" not in actions(performance.result)


def test_a_run_that_does_not_bring_its_thread_back_passes() -> None:
    made = world(NO_HOOK, "MEMORY_DELETE")

    assert held(made).verdict == ("PASS", None, None)


@pytest.mark.parametrize("is_blind", [True, False])
def test_an_update_that_makes_a_version_with_an_id_of_its_own_leaves_nothing(
    is_blind: bool,
) -> None:
    made = world(NO_HOOK, "NAMESPACE_DELETE", update_makes_versions=True, update_is_blind=is_blind)
    performance = held(made)

    assert performance.verdict[0] == ("FAIL" if is_blind else "PASS")
    assert performance.result.cleanup.left == []
    assert not any(made.memories.values())


def test_a_write_that_ends_before_it_is_held_says_how() -> None:
    made = world(NO_HOOK)
    # The first update is the create control's.
    made.faults["update"].extend([None, Fault("status", 500)])
    performance = held(made, misses=True)

    assert performance.verdict == ("INCONCLUSIVE", "held_write_not_processed", None)
    assert "ended before it could be held: update: 500" in performance.result.reason
