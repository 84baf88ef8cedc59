"""Rules for ERROR and SKIPPED: the service failed or lacks something."""

from memtru_ci.domain.case import Case, Judgement, error
from memtru_ci.domain.legible import legible
from memtru_ci.domain.timeline import Event, Manner, Outcome, Reading
from memtru_ci.domain.verdict import Cause, Verdict


def lost_target(case: Case) -> Judgement | None:
    """The target died or could not be reached any more."""
    event = case.first_with(Outcome.TARGET_LOST)
    return (
        error(event, Cause.TARGET_LOST, f"The target was lost: {event.detail}") if event else None
    )


def broke_contract(case: Case) -> Judgement | None:
    """An answer to a call broke the contract."""
    event = case.first_with(Outcome.CONTRACT_VIOLATION)
    return error(event, Cause.CONTRACT_VIOLATION, event.detail) if event else None


def answered_with_error(case: Case) -> Judgement | None:
    """A call was answered by an error status."""
    event = case.first_with(Outcome.PROVIDER_ERROR)
    return error(event, Cause.PROVIDER_ERROR, event.detail) if event else None


def unreadable_surface(case: Case) -> Judgement | None:
    """A surface gave no successful read in a whole window (rule 6)."""
    for event in case.events:
        watch = event.watch
        if watch is None or watch.manner is Manner.GLANCE or case.was_cut_short(event):
            continue
        readings = [one for look in watch.looks for one in look.readings]
        for surface in dict.fromkeys(one.surface for one in readings):
            judgement = _unreadable(event, [one for one in readings if one.surface == surface])
            if judgement is not None:
                return judgement
    return None


def _unreadable(event: Event, readings: list[Reading]) -> Judgement | None:
    outcomes = {one.outcome for one in readings}
    if outcomes & {Outcome.DONE, Outcome.NOT_OFFERED}:
        return None
    cause = Cause.SURFACE_UNREADABLE
    if Outcome.CONTRACT_VIOLATION in outcomes:
        cause = Cause.CONTRACT_VIOLATION
    elif outcomes == {Outcome.TARGET_LOST}:
        cause = Cause.TARGET_LOST
    last = readings[-1]
    name = legible(last.surface, 64)
    reason = f"Surface '{name}' gave no successful read in '{event.action}': {last.detail}"
    return error(event, cause, reason)


def lacks_capability(case: Case) -> Judgement | None:
    """The service lacks what the scenario requires."""
    if not case.record.missing:
        return None
    missing = ", ".join(case.record.missing)
    reason = f"The service does not offer what the scenario requires: {missing}."
    return Judgement(Verdict.SKIPPED, reason, Cause.MISSING_CAPABILITY)
