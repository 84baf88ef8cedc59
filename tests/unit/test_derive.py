"""What was seen and answered is taken from the kept exchanges, whatever the events say."""

from typing import Any

import pytest

from memtru_ci.domain.derive import derived
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import Action, Event, Outcome
from memtru_ci.domain.verdict import Verdict
from tests.timelines import (
    CONTROL_NAMESPACE,
    NAMESPACE,
    RESTARTED,
    late_write,
    result,
    results,
)

PASSING = late_write()


def of(record: Record, action: Action) -> Event:
    return record.of(action)[0]


def with_event(record: Record, action: Action, **facts: Any) -> Record:
    """The record with facts of one event changed."""
    events = [
        one.model_copy(update=facts) if one.action is action else one for one in record.events
    ]
    return record.model_copy(update={"events": tuple(events)})


def with_evidence(record: Record, action: Action, **facts: Any) -> Record:
    """The record with facts of an event's exchanges changed; a callable is given the exchange."""
    steps = of(record, action).evidence_steps

    def changed(one: Exchange) -> Exchange:
        given = {key: fact(one) if callable(fact) else fact for key, fact in facts.items()}
        return one.model_copy(update=given) if one.step in steps else one

    return record.model_copy(update={"evidence": tuple(changed(one) for one in record.evidence)})


def verdict(record: Record) -> Verdict:
    return result("MT-AF-001", record).verdict


def test_only_a_restart_by_the_gate_needs_no_exchange() -> None:
    receipt = of(PASSING, Action.RELEASE_PENDING_WRITES).receipt
    claimed = with_event(
        PASSING,
        Action.RELEASE_PENDING_WRITES,
        evidence_steps=(),
        restart=RESTARTED,
        receipt=receipt,
    )

    assert of(PASSING, Action.RESTART).evidence_steps == ()
    assert verdict(PASSING) is Verdict.PASS
    assert verdict(claimed) is Verdict.INCONCLUSIVE


def test_reads_of_another_namespace_prove_nothing() -> None:
    assert verdict(with_evidence(PASSING, Action.AFTER_RELEASE, namespace="elsewhere")) in (
        Verdict.ERROR,
        Verdict.INCONCLUSIVE,
    )


def test_the_hold_control_has_a_namespace_of_its_own() -> None:
    held = of(PASSING, Action.CONFIRM_HOLD)
    assert {one.namespace for one in PASSING.evidence if one.step in held.evidence_steps} == {
        CONTROL_NAMESPACE
    }

    assert verdict(with_evidence(PASSING, Action.CONFIRM_HOLD, namespace=NAMESPACE)) in (
        Verdict.ERROR,
        Verdict.INCONCLUSIVE,
    )


def test_a_surface_is_the_one_that_was_read() -> None:
    other = with_evidence(PASSING, Action.AFTER_RELEASE, surface="list")
    watch = of(derived(other), Action.AFTER_RELEASE).watch

    assert watch is not None
    assert {one.surface for look in watch.looks for one in look.readings} == {"list"}
    assert verdict(other) is not Verdict.PASS


@pytest.mark.parametrize(("status", "is_fail"), [(200, True), (500, False), (404, False)])
def test_an_error_shows_nothing_whatever_its_body_says(status: int, is_fail: bool) -> None:
    record = with_evidence(
        PASSING,
        Action.AFTER_RELEASE,
        status=status,
        answer=results("mb"),
        outcome=Outcome.DONE if status == 200 else Outcome.PROVIDER_ERROR,
    )

    assert (verdict(record) is Verdict.FAIL) is is_fail


def test_an_answer_that_breaks_the_contract_may_show_the_marker_all_the_same() -> None:
    record = with_evidence(
        PASSING,
        Action.AFTER_RELEASE,
        answer={"results": [1, {"content": None}, *results("m")["results"]]},
        outcome=Outcome.CONTRACT_VIOLATION,
    )

    assert verdict(record) is Verdict.FAIL


@pytest.mark.parametrize(("cursor", "outcome"), [(None, Outcome.DONE), ("p2", Outcome.NO_ANSWER)])
def test_a_list_without_its_last_page_is_no_reading(cursor: str | None, outcome: Outcome) -> None:
    def page(one: Exchange) -> Any:
        return {**results("b"), "next_cursor": cursor}

    def operation(one: Exchange) -> str:
        return "list" if one.surface == "list" else one.operation

    record = derived(with_evidence(PASSING, Action.AFTER_RELEASE, answer=page, operation=operation))
    watch = of(record, Action.AFTER_RELEASE).watch
    assert watch is not None
    outcomes = {
        one.outcome for look in watch.looks for one in look.readings if one.surface == "list"
    }

    assert outcomes == {outcome}


def _later(by_ms: float, *keys: str) -> dict[str, Any]:
    return {key: lambda one, key=key: getattr(one, key) + by_ms for key in keys}


def test_a_positive_control_after_the_delete_is_none() -> None:
    late = with_evidence(
        PASSING, Action.CONFIRM_RETRIEVABLE, **_later(12, "started_ms", "ended_ms")
    )

    told = result("MT-AF-001", late)
    assert (told.verdict, told.cause) == (Verdict.INCONCLUSIVE, "positive_control_failed")


def test_an_absence_before_the_delete_was_acknowledged_is_none() -> None:
    late = with_evidence(PASSING, Action.DELETE, **_later(50, "ended_ms"))

    assert verdict(late) is Verdict.INCONCLUSIVE


def test_a_window_that_began_before_its_event_had_ended_is_none() -> None:
    late = with_evidence(PASSING, Action.RELEASE_PENDING_WRITES, **_later(50, "ended_ms"))

    assert verdict(late) is Verdict.INCONCLUSIVE


def test_reads_that_nobody_claims_are_events_of_their_own() -> None:
    watch = of(PASSING, Action.AFTER_RESTART).watch
    assert watch is not None
    cut = with_event(
        PASSING, Action.AFTER_RESTART, watch=watch.model_copy(update={"looks": watch.looks[:3]})
    )
    record = derived(cut)
    unclaimed = of(record, Action.UNCLAIMED)

    assert unclaimed.watch is not None
    assert len(unclaimed.watch.looks) == 2 * len(watch.looks[3:])
    assert unclaimed.seq == len(record.events)


def test_a_sighting_that_nobody_claims_is_named_after_the_event_before_it() -> None:
    watch = of(PASSING, Action.AFTER_RELEASE).watch
    assert watch is not None
    seen = with_evidence(PASSING, Action.AFTER_RELEASE, answer=results("mb"))
    hidden = with_event(seen, Action.AFTER_RELEASE, watch=watch.model_copy(update={"looks": ()}))

    told = result("MT-AF-001", hidden)
    assert (told.verdict, told.trigger) == (Verdict.FAIL, "release_pending_writes")
