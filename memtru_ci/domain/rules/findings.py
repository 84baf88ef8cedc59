"""Rules for FAIL: the marker came back, or never went."""

from collections.abc import Iterator

from memtru_ci.domain.case import TRIGGERS, Case, Judgement
from memtru_ci.domain.legible import listed
from memtru_ci.domain.looking import first_sighting, moment, opening_look, visible_on
from memtru_ci.domain.timeline import CONTROLS, Action, Event, Outcome, Reading
from memtru_ci.domain.verdict import Cause, Trigger, Verdict


def reappeared(case: Case) -> Judgement | None:
    """The marker was seen again after its absence was proven (rules 4, 9 and 15)."""
    if case.absence is None:
        return None
    earliest = max(case.absence[1], case.conclusive_from_ms)
    for event in case.events:
        looks = event.watch.looks if event.watch and event.action not in CONTROLS else ()
        sighting = first_sighting(looks, earliest, case.promise.noted)
        if sighting is not None:
            return _finding(case, event, sighting)
    return None


def still_there(case: Case) -> Judgement | None:
    """The marker was still retrievable at the end of the window after the delete (MT-DEL-003)."""
    for event in case.record.of(Action.AFTER_DELETE):
        if event.watch is None or not event.watch.looks or case.delete is None:
            continue
        opening = opening_look(event.watch, case.controls)
        origin_ms = opening.started_ms if opening else event.watch.since_ms
        end_ms = max(moment(origin_ms + event.watch.window_ms), case.conclusive_from_ms)
        sighting = first_sighting(event.watch.looks, end_ms, case.promise.noted)
        if sighting is not None:
            return _finding(case, event, sighting)
    return None


def _finding(case: Case, event: Event, sighting: Reading) -> Judgement:
    before = list(_events_before(case, event, sighting))
    trigger = TRIGGERS[before[-1].action] if before else Trigger.DELETE
    since = before[-1].ended_ms if before else case.delete.ended_ms if case.delete else 0.0
    look = next(
        one for one in (event.watch.looks if event.watch else ()) if sighting in one.readings
    )
    where = listed(visible_on(look))
    after_ms = max(0.0, sighting.started_ms - since)
    again = "still" if event.action is Action.AFTER_DELETE and not case.absence else "again"
    reason = (
        f"The deleted marker was {again} retrievable on {where} "
        f"{after_ms:.0f} ms after '{trigger.value}', the event that preceded it."
    )
    if case.promise.finding is not Cause.DELETE_NOT_EFFECTIVE:
        reason += " MT-DEL-003 tells whether it also comes back by itself."
    return Judgement(Verdict.FAIL, reason, case.promise.finding, event.seq, trigger)


def _events_before(case: Case, event: Event, sighting: Reading) -> Iterator[Event]:
    for one in case.events:
        offered = one.outcome is not Outcome.NOT_OFFERED
        earlier = one.seq < event.seq and one.started_ms <= sighting.started_ms
        if earlier and one.action in TRIGGERS and offered:
            yield one
