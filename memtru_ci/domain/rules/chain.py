"""Rules for INCONCLUSIVE: a link of the chain of evidence is missing."""

from memtru_ci.domain.case import TRIGGERS, Case, Judgement, inconclusive
from memtru_ci.domain.timeline import Action, Event, Outcome
from memtru_ci.domain.verdict import Cause


def numbers_missing(case: Case) -> Judgement | None:
    """Events or exchanges are not numbered from 1 without a gap: some were taken out."""
    numbered = {
        "events": [one.seq for one in case.events],
        "exchanges": [one.step for one in case.record.evidence],
    }
    for what, numbers in numbered.items():
        if numbers != list(range(1, len(numbers) + 1)):
            reason = f"The record's {what} are not numbered from 1 without a gap: it is not whole."
            return inconclusive(None, Cause.EVIDENCE_INCOMPLETE, reason)
    return None


def lifecycle_missing(case: Case) -> Judgement | None:
    """An event that the scenario needs is not in the record."""
    for alternatives in case.promise.lifecycle:
        if not any(event.outcome is Outcome.DONE for event in case.record.of(*alternatives)):
            names = " or ".join(sorted(one.value for one in alternatives))
            return inconclusive(None, Cause.EVIDENCE_INCOMPLETE, f"No '{names}' is on record.")
    return None


def unwatched_event(case: Case) -> Judgement | None:
    """After a lifecycle event no window was watched."""
    for event in case.events:
        if event.action not in TRIGGERS or event.outcome is Outcome.NOT_OFFERED:
            continue
        later = [one for one in case.watched() if one.seq > event.seq and _began_after(event, one)]
        between = [one for one in case.record.of(*TRIGGERS) if one.seq > event.seq]
        if not later or (between and between[0].seq < later[0].seq):
            reason = f"No window was watched after '{event.action}'."
            return inconclusive(event, Cause.EVIDENCE_INCOMPLETE, reason)
    return None


def _began_after(event: Event, watched: Event) -> bool:
    looks = watched.watch.looks if watched.watch else ()
    return all(look.started_ms >= event.ended_ms for look in looks)


def chain_broken(case: Case) -> Judgement | None:
    """Positive control, delete or absence are missing, or not in this order."""
    control = case.record.of(Action.CONFIRM_RETRIEVABLE)
    chain = (control[0] if control else None, case.delete, case.absence and case.absence[0])
    numbers = [one.seq for one in chain if one is not None]
    if len(numbers) == len(chain) and numbers == sorted(numbers):
        return None
    links = zip(
        ("a positive control", "an executed delete", "a proven absence"), chain, strict=True
    )
    missing = next((name for name, one in links if one is None), "the right order")
    reason = f"The record lacks {missing}: control, delete and absence have to be there in turn."
    return inconclusive(None, Cause.EVIDENCE_INCOMPLETE, reason)
