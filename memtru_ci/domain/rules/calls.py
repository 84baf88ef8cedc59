"""Rules for INCONCLUSIVE: what was called did not run, or nobody knows."""

from memtru_ci.domain.case import DELETES, Case, Judgement, inconclusive
from memtru_ci.domain.timeline import Action, Event, Outcome
from memtru_ci.domain.verdict import Cause

_BEGINNINGS = (Action.BEGIN_PENDING_WRITE, Action.CONTROL_BEGIN)
_RELEASES = (Action.RELEASE_PENDING_WRITES, Action.CONTROL_RELEASE)


def stopped(case: Case) -> Judgement | None:
    """The trial was cut short from outside."""
    if not case.record.stopped:
        return None
    last = case.events[-1] if case.events else None
    reason = f"The trial was cut short: {case.record.stopped}"
    return inconclusive(last, Cause.EVIDENCE_INCOMPLETE, reason)


def blocked_delete(case: Case) -> Judgement | None:
    """The delete did not answer while a write was held (rule 11)."""
    for event in case.record.of(*DELETES):
        earlier = [one.action for one in case.events if one.seq < event.seq]
        held = Action.BEGIN_PENDING_WRITE in earlier
        released = Action.RELEASE_PENDING_WRITES in earlier
        if event.outcome is Outcome.NO_ANSWER and held and not released:
            reason = "The delete did not answer while a write was held; the write was released."
            return inconclusive(event, Cause.DELETE_BLOCKED_BY_HELD_WRITE, reason)
    return None


def unknown_outcome(case: Case) -> Judgement | None:
    """A call was sent and never answered: what it did is unknown, and it is not sent twice."""
    silent = [one for one in case.events if one.outcome is Outcome.NO_ANSWER]
    event = next((one for one in silent if not _was_never_held(case, one)), None)
    if event is None:
        return None
    reason = f"The outcome of '{event.action}' is unknown: {event.detail}"
    return inconclusive(event, Cause.EVIDENCE_INCOMPLETE, reason)


def _was_never_held(case: Case, event: Event) -> bool:
    """Whether it is the end of a write that the gate could not hold: why tells more."""
    begun = {
        Action.HELD_WRITE_DONE: Action.BEGIN_PENDING_WRITE,
        Action.CONTROL_WRITE_DONE: Action.CONTROL_BEGIN,
    }.get(event.action)
    receipts = [one.receipt for one in case.record.of(begun)] if begun else []
    return any(one is not None and not one.executed for one in receipts)


def hook_not_executed(case: Case) -> Judgement | None:
    """A hook reported that it did not run, or a restart made no new process."""
    for event in case.events:
        if event.receipt is not None and not event.receipt.executed:
            why = event.receipt.detail or "it gave no reason"
            if event.action in _BEGINNINGS and case.is_held_by_gate:
                reason = f"No write could be held: {why}"
                return inconclusive(event, Cause.HELD_WRITE_NOT_PROCESSED, reason)
            reason = f"'{event.action}' reported that it did not run: {why}"
            return inconclusive(event, Cause.HOOK_NOT_EXECUTED, reason)
        if event.restart is not None and not event.restart.is_new_process:
            reason = "After the restart the same process was running: start times are equal."
            return inconclusive(event, Cause.HOOK_NOT_EXECUTED, reason)
    return None


def released_nothing(case: Case) -> Judgement | None:
    """The release processed none of what is held."""
    for event in case.record.of(*_RELEASES):
        if event.receipt is not None and event.receipt.executed and not event.receipt.processed:
            reason = "The release reported that it processed none of the held writes."
            if case.is_held_by_gate:
                reason = f"The release let no write go: {event.receipt.detail}"
            return inconclusive(event, Cause.HELD_WRITE_NOT_PROCESSED, reason)
    return None


def ingestion_not_proven(case: Case) -> Judgement | None:
    """Ingestion ran but did not turn the unrelated message into a memory."""
    for event in case.record.of(Action.CONFIRM_INGESTED):
        looks = event.watch.looks if event.watch else ()
        if not any(one.bystander for look in looks for one in look.readings):
            reason = "Ingestion ran, but the unrelated message did not become a memory."
            return inconclusive(event, Cause.INGESTION_NOT_PROVEN, reason)
    return None
