"""Rules for INCONCLUSIVE: what was seen before and right after the delete proves nothing."""

from memtru_ci.domain.case import Case, Judgement, inconclusive
from memtru_ci.domain.legible import listed
from memtru_ci.domain.looking import SEARCH, visible_on
from memtru_ci.domain.timeline import Action, Event
from memtru_ci.domain.verdict import Cause


def never_retrievable(case: Case) -> Judgement | None:
    """Search never showed marker and bystander before the delete."""
    for event in case.record.of(Action.CONFIRM_RETRIEVABLE):
        if SEARCH not in case.controls.proven:
            reason = (
                "The positive control failed: search did not show both the marker and the "
                "bystander before the delete, so that a later absence would prove nothing."
            )
            return inconclusive(event, Cause.POSITIVE_CONTROL_FAILED, reason)
    return None


def bystander_in_same_record(case: Case) -> Judgement | None:
    """A derived record holds marker and bystander: deleting it would delete both (rule 18)."""
    for event in case.record.of(Action.FIND_DERIVED):
        readings = [
            one for look in (event.watch.looks if event.watch else ()) for one in look.readings
        ]
        if any(one.bystander for one in readings):
            reason = "One derived record holds both the marker and the bystander."
            return inconclusive(event, Cause.BYSTANDER_LOST, reason)
    return None


def visible_after_delete(case: Case) -> Judgement | None:
    """No absence was proven after the delete, and the marker was seen."""
    for event in case.record.of(Action.IMMEDIATE_CHECK, Action.AFTER_DELETE):
        looks = event.watch.looks if event.watch else ()
        seen = sorted({surface for look in looks for surface in visible_on(look)})
        if case.absence is None and seen:
            reason = (
                f"The marker was still visible on {listed(seen)} after the delete and its "
                "absence was never settled. This is not resurrection: run MT-DEL-003."
            )
            return inconclusive(event, Cause.VISIBLE_AFTER_DELETE, reason)
    return None


def bystander_gone_after_delete(case: Case) -> Judgement | None:
    """The bystander was not there after the delete: the absence proves nothing."""
    for event in case.record.of(Action.IMMEDIATE_CHECK, Action.AFTER_DELETE):
        looks = event.watch.looks if event.watch else ()
        if case.absence is None and not any(case.controls.look_counts(look) for look in looks):
            return bystander_lost(event)
    return None


def absence_not_settled(case: Case) -> Judgement | None:
    """Looks after the delete never made a row that proves the absence."""
    for event in case.record.of(Action.IMMEDIATE_CHECK, Action.AFTER_DELETE):
        if case.absence is None:
            reason = "Three counting looks in a row without the marker were never had."
            return inconclusive(event, Cause.WINDOW_NOT_COVERED, reason)
    return None


def bystander_lost(event: Event) -> Judgement:
    reason = (
        f"The memory that must stay was not seen in '{event.action}' on a surface that had shown "
        "it before, so that the marker's absence proves nothing."
    )
    return inconclusive(event, Cause.BYSTANDER_LOST, reason)
