"""Derives what was seen and answered from the kept exchanges, so that no stored flag is believed.

A fresh record and one from a saved report go the same way: a verdict always comes from evidence.
"""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import ValidationError

from memtru_ci.domain.case import DELETES
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.holding import REFUSALS
from memtru_ci.domain.marker import Marker, folded
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import (
    CONTROLS,
    Action,
    Event,
    Look,
    Manner,
    Outcome,
    Phase,
    Reading,
    Watch,
)

_HOOKS = (
    Action.RECORD_CONVERSATION,
    Action.RECORD_BYSTANDER,
    Action.RECORD_UNRELATED,
    Action.INGEST,
    Action.BEGIN_PENDING_WRITE,
    Action.RELEASE_PENDING_WRITES,
    Action.START_SESSION,
    Action.CONSOLIDATE,
    Action.RESTART,
    Action.DELETE_THREAD,
    Action.CONTROL_BEGIN,
    Action.CONTROL_RELEASE,
)
LATE_WRITES = (
    Action.HELD_WRITE_DONE,
    Action.CONTROL_WRITE_DONE,
    Action.CREATE_CONTROL_UPDATE,
)
"""Writes whose answer may be a refusal."""
_REFUSALS = (Outcome.NOT_OFFERED, Outcome.PROVIDER_ERROR)
GONE = (404, 410)
NO_SUCH_RECORD = {"no_such_record": True}
"""What an answer means that has no status to say that there is no such record."""


def derived(record: Record) -> Record:
    """The record with every reading, receipt, outcome and time taken from its evidence.

    Reads that no event claims are added as an event of their own: a sighting counts wherever it is.
    """
    exchanges = {one.step: one for one in record.evidence}
    deleted = False
    events = []
    for event in record.events:
        if event.action is Action.UNCLAIMED:
            continue
        events.append(_event(event, record, exchanges, further_delete=deleted))
        deleted = deleted or event.action in DELETES
    unclaimed = [one for one in unclaimed_exchanges(record) if one.surface is not None]
    reads = [one for one in unclaimed if one.namespace == record.namespace]
    if reads:
        events.append(_unclaimed(reads, record, events))
    return record.model_copy(
        update={"events": tuple(events), "consistency_window_ms": _promised_ms(record)}
    )


def _promised_ms(record: Record) -> int:
    """The consistency window that the service promised, as its answer has it."""
    for one in record.evidence:
        answer = one.said
        if one.operation == "capabilities" and isinstance(answer, dict) and not one.reduced:
            promised = answer.get("consistency_window_ms")
            return promised if isinstance(promised, int) and promised >= 0 else 0
    return record.consistency_window_ms


def unclaimed_exchanges(record: Record) -> list[Exchange]:
    """The exchanges that nothing names: a reading names reads, an event any other call."""
    events = [one for one in record.events if one.action is not Action.UNCLAIMED]
    called = {step for one in events if one.watch is None for step in one.evidence_steps}
    read = {
        step
        for event in events
        for look in (event.watch.looks if event.watch else ())
        for one in look.readings
        for step in one.evidence_steps
    }
    return [
        one for one in record.evidence if one.step not in (called if one.surface is None else read)
    ]


def _event(
    event: Event, record: Record, exchanges: Mapping[int, Exchange], *, further_delete: bool
) -> Event:
    if event.watch is not None:
        return _watched(event, event.watch, record, exchanges)
    kept = [exchanges[step] for step in event.evidence_steps if step in exchanges]
    if not kept:
        by_gate = event.action is Action.RESTART and event.restart is not None
        lost = bool(event.evidence_steps) or not by_gate
        missing = lost and event.outcome is Outcome.DONE
        return event.model_copy(update={"outcome": Outcome.NO_ANSWER}) if missing else event
    last = kept[-1]
    return event.model_copy(
        update={
            "started_ms": kept[0].started_ms,
            "ended_ms": last.ended_ms,
            "outcome": _outcome_of_call(event, last, further_delete),
            "receipt": _receipt(event, last),
        }
    )


def _watched(
    event: Event, watch: Watch, record: Record, exchanges: Mapping[int, Exchange]
) -> Event:
    looks = tuple(_look(one, event.action, record, exchanges) for one in watch.looks)
    starts = [one.started_ms for one in looks]
    ends = [one.ended_ms for look in looks for one in look.readings]
    steps = {step for look in looks for one in look.readings for step in one.evidence_steps}
    # A watch can not have begun after its first look: that would put off the end of its window.
    since_ms = min([watch.since_ms, *starts])
    return event.model_copy(
        update={
            "started_ms": min(starts, default=event.started_ms),
            "ended_ms": max(ends, default=event.ended_ms),
            "evidence_steps": tuple(sorted(steps)) or event.evidence_steps,
            "watch": watch.model_copy(update={"looks": looks, "since_ms": since_ms}),
        }
    )


def _outcome_of_call(event: Event, last: Exchange, further_delete: bool) -> Outcome:
    if event.action is Action.DELETE and further_delete and _is_gone(last):
        return Outcome.DONE
    if last.outcome is Outcome.NO_ANSWER and event.outcome is Outcome.TARGET_LOST:
        return event.outcome
    if event.action in LATE_WRITES:
        return _outcome_of_late_write(last)
    if last.outcome is Outcome.NOT_OFFERED and event.outcome in _REFUSALS:
        return event.outcome
    if last.outcome is Outcome.DONE and event.outcome is not Outcome.DONE:
        return event.outcome
    return _by_status(last)


def _outcome_of_late_write(last: Exchange) -> Outcome:
    """Done where it was taken, or refused by the service's rules; else nobody knows (rule 10)."""
    outcome = _by_status(last)
    if outcome is Outcome.DONE or last.status in REFUSALS or last.meaning == NO_SUCH_RECORD:
        return Outcome.DONE
    is_known = outcome in (Outcome.TARGET_LOST, Outcome.CONTRACT_VIOLATION)
    return outcome if is_known else Outcome.NO_ANSWER


def _is_gone(last: Exchange) -> bool:
    return last.status in GONE or last.meaning == NO_SUCH_RECORD


def _by_status(exchange: Exchange) -> Outcome:
    if exchange.outcome is not Outcome.DONE:
        return exchange.outcome
    if exchange.is_success:
        return Outcome.DONE
    return Outcome.NO_ANSWER if exchange.status is None else Outcome.PROVIDER_ERROR


def _receipt(event: Event, last: Exchange) -> HookReceipt | None:
    if event.action not in _HOOKS or last.outcome is not Outcome.DONE:
        return None
    answer = last.said
    if last.reduced and not (isinstance(answer, dict) and "executed" in answer):
        return event.receipt or HookReceipt(
            executed=False, detail="its answer is kept in part only"
        )
    if isinstance(answer, dict):
        # `null` in an optional field means absent (HTTP contract, ground rules).
        answer = {key: value for key, value in answer.items() if value is not None}
    try:
        return HookReceipt.model_validate(answer)
    except ValidationError:
        return HookReceipt(executed=False, detail="the kept answer is no receipt")


def _look(look: Look, action: Action, record: Record, exchanges: Mapping[int, Exchange]) -> Look:
    readings = tuple(_reading(one, action, record, exchanges) for one in look.readings)
    started_ms = min((one.started_ms for one in readings), default=look.started_ms)
    return Look(started_ms=started_ms, readings=readings)


def _reading(
    reading: Reading, action: Action, record: Record, exchanges: Mapping[int, Exchange]
) -> Reading:
    kept = _reads(reading, action, record, exchanges)
    if not kept or len(kept) < len(reading.evidence_steps):
        seen = _seen(kept, action, record)
        outcome = Outcome.NO_ANSWER if reading.outcome is Outcome.DONE else reading.outcome
        return reading.model_copy(
            update={"outcome": outcome, "marker": seen[0], "bystander": seen[1]}
        )
    marker, bystander = _seen(kept, action, record)
    return reading.model_copy(
        update={
            "surface": kept[0].surface or reading.surface,
            "outcome": _outcome_of_read(reading, kept),
            "marker": marker,
            "bystander": bystander,
            "started_ms": kept[0].started_ms,
            "ended_ms": kept[-1].ended_ms,
        }
    )


def _reads(
    reading: Reading, action: Action, record: Record, exchanges: Mapping[int, Exchange]
) -> list[Exchange]:
    """The exchanges of a reading, in the namespace that it has to be about."""
    kept = [exchanges[step] for step in reading.evidence_steps if step in exchanges]
    if action in CONTROLS:
        return [one for one in kept if one.namespace != record.namespace]
    return [one for one in kept if one.namespace == record.namespace]


def _outcome_of_read(reading: Reading, kept: Sequence[Exchange]) -> Outcome:
    bad = [one for one in map(_by_status, kept) if one is not Outcome.DONE]
    if bad:
        refused = bad[0] is Outcome.NOT_OFFERED and reading.outcome in _REFUSALS
        return reading.outcome if refused else bad[0]
    if any(_results(one) is None for one in kept):
        return Outcome.CONTRACT_VIOLATION
    if _ends(kept[-1]):
        return Outcome.DONE
    return Outcome.NO_ANSWER if reading.outcome is Outcome.DONE else reading.outcome


def _ends(last: Exchange) -> bool:
    """Whether no further page follows; only a list has pages."""
    answer = last.said
    return last.operation != "list" or not (
        isinstance(answer, dict) and answer.get("next_cursor") is not None
    )


def _seen(kept: Iterable[Exchange], action: Action, record: Record) -> tuple[bool, bool]:
    marker, expected = _looked_for(action, record)
    if marker is None:
        return False, False
    contents = [folded(content) for one in kept for content in _results(one) or ()]
    if action is Action.FIND_DERIVED:
        contents = [one for one in contents if marker.shown_in_folded([one])]
    shows_expected = expected is not None and expected.shown_in_folded(contents)
    return marker.shown_in_folded(contents), shows_expected


def _looked_for(action: Action, record: Record) -> tuple[Marker | None, Marker | None]:
    """What a look is about: what must not be there, and what must be."""
    match action:
        case Action.CONFIRM_INGESTED:
            return record.marker, record.unrelated
        case Action.CONFIRM_HOLD | Action.CONFIRM_HELD:
            return record.marker, record.control
        case Action.CREATE_CONTROL_CONFIRM | Action.CREATE_CONTROL_ABSENT:
            return record.created, record.created_bystander
        case Action.CONFIRM_NO_CREATE:
            return record.created_update, record.created_bystander
    return record.marker, record.bystander


def _results(exchange: Exchange) -> list[str] | None:
    """The contents in an answer; null where it has no results. An error shows nothing."""
    if not exchange.is_success:
        return None
    answer = exchange.said
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        return None
    found = (one.get("content") for one in results if isinstance(one, dict))
    return [content for content in found if isinstance(content, str)]


def _unclaimed(reads: Sequence[Exchange], record: Record, events: Sequence[Event]) -> Event:
    looks = []
    for one in reads:
        reading = Reading(
            surface=one.surface or "",
            outcome=one.outcome,
            started_ms=one.started_ms,
            ended_ms=one.ended_ms,
            evidence_steps=(one.step,),
            detail=one.error,
        )
        plain = _reading(reading, Action.UNCLAIMED, record, {one.step: one})
        looks.append(Look(started_ms=one.started_ms, readings=(plain,)))
    return Event(
        seq=(events[-1].seq if events else 0) + 1,
        step=events[-1].step if events else 0,
        phase=Phase.OBSERVE,
        action=Action.UNCLAIMED,
        detail="reads that belong to no other event",
        started_ms=reads[0].started_ms,
        ended_ms=reads[-1].ended_ms,
        evidence_steps=tuple(one.step for one in reads),
        watch=Watch(
            manner=Manner.GLANCE, window_ms=0, since_ms=reads[0].started_ms, looks=tuple(looks)
        ),
    )
