"""Rules for INCONCLUSIVE: what the gate held was not the write (catalogue, rule 10)."""

from memtru_ci.domain.case import Case, Judgement, inconclusive
from memtru_ci.domain.holding import MODEL_STAND_IN, STORE_PROXY, WORKER_PAUSE, held_look_ms
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.timeline import Action, Event, Outcome, Reading
from memtru_ci.domain.verdict import Cause

_HINTS = {
    MODEL_STAND_IN: "Does the service keep an update before it asks the model?",
    STORE_PROXY: "Is it this sidecar that keeps the memories?",
    WORKER_PAUSE: "Is it this sidecar that applies updates?",
}
_BY_WAITING = (MODEL_STAND_IN, STORE_PROXY)
"""Mechanisms under which a service waits, so that it may lose its patience and go on."""


def refused_before_release(case: Case) -> Judgement | None:
    """The service refused the write while it was held: nothing of it was left to land."""
    done, released = _first(case, Action.HELD_WRITE_DONE), _first(case, *_MAIN)
    if done is None or released is None or not case.is_held_by_gate:
        return None
    if _is_late(done, released) or not _was_refused(case, done):
        return None
    reason = "The service refused the write before it was released: it was not in flight any more."
    return inconclusive(done, Cause.HELD_WRITE_NOT_PROCESSED, reason)


def answered_before_release(case: Case) -> Judgement | None:
    """The control's write waited for its release, and the write itself did not."""
    done, released = _first(case, Action.HELD_WRITE_DONE), _first(case, *_MAIN)
    control, let_go = _first(case, Action.CONTROL_WRITE_DONE), _first(case, *_CONTROL)
    if case.mechanism not in _BY_WAITING or not (done and released and control and let_go):
        return None
    if _is_late(done, released) or not _is_late(control, let_go):
        return None
    reason = (
        "The write was answered before it was released, other than in the hold control: does the "
        "service stop waiting for what is held, and go on without it?"
    )
    return inconclusive(done, Cause.HELD_WRITE_NOT_PROCESSED, reason)


def visible_while_held(case: Case) -> Judgement | None:
    """In the hold control the update showed while it was held, or nobody looked for it.

    A run may show its input at once; that it waits for its release shows that it is in flight.
    """
    if case.mechanism not in _HINTS:
        return None
    is_run = case.record.deletion_contract == DeletionContract.THREAD_CHECKPOINT
    if is_run and _both_waited(case):
        return None
    looked = case.record.of(Action.CONFIRM_HELD)
    if any(_shows_held(case, event) for event in looked):
        return None
    was_seen = any(one.bystander for event in looked for one in _readings(event))
    what = "was visible while it was held" if was_seen else "was not looked for while it was held"
    reason = f"Nothing shows that it is the write that is held: in the hold control it {what}."
    hint = _HINTS[case.mechanism] if was_seen else ""
    return inconclusive(None, Cause.HELD_WRITE_NOT_PROCESSED, f"{reason} {hint}".strip())


_MAIN = (Action.RELEASE_PENDING_WRITES,)
_CONTROL = (Action.CONTROL_RELEASE,)


def _both_waited(case: Case) -> bool:
    """Whether both writes were answered once released, and the control's was taken."""
    control = _first(case, Action.CONTROL_WRITE_DONE)
    if control is None or _was_refused(case, control):
        return False
    pairs = (
        (_first(case, Action.HELD_WRITE_DONE), _first(case, *_MAIN)),
        (_first(case, Action.CONTROL_WRITE_DONE), _first(case, *_CONTROL)),
    )
    return all(done and released and _is_late(done, released) for done, released in pairs)


def _shows_held(case: Case, event: Event) -> bool:
    """Whether these looks, all of them while it was held, did not show the update."""
    begun, released = _first(case, Action.CONTROL_BEGIN), _first(case, *_CONTROL)
    done = _first(case, Action.CONTROL_WRITE_DONE)
    readings = _readings(event)
    if not (begun and released and done and readings):
        return False
    read = [one.started_ms for one in readings if one.outcome is Outcome.DONE]
    if not read or any(one.bystander for one in readings):
        return False
    if min(read) < begun.ended_ms or max(read) > released.started_ms:
        return False
    record = case.record
    look_ms = held_look_ms(record.window_ms, record.consistency_window_ms)
    return _is_late(done, released) or max(read) >= begun.ended_ms + look_ms


def _readings(event: Event) -> list[Reading]:
    looks = event.watch.looks if event.watch else ()
    return [one for look in looks for one in look.readings]


def _first(case: Case, *actions: Action) -> Event | None:
    return next(iter(case.record.of(*actions)), None)


def _is_late(done: Event, released: Event) -> bool:
    """Whether the write was answered no sooner than its release began."""
    return done.ended_ms >= released.started_ms


def _was_refused(case: Case, event: Event) -> bool:
    kept = [one for one in case.record.evidence if one.step in event.evidence_steps]
    return bool(kept) and kept[-1].outcome is not Outcome.DONE
