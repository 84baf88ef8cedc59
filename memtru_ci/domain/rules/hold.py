"""Rules for INCONCLUSIVE: a held write proves nothing (catalogue, rule 10)."""

from itertools import pairwise

from memtru_ci.domain.case import Case, Judgement, inconclusive
from memtru_ci.domain.holding import WITHHELD_BODY, WORKER_PAUSE
from memtru_ci.domain.looking import SEARCH, controls_of, coverage_of, settled_row
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.timeline import Action, Event, Look, Outcome
from memtru_ci.domain.verdict import Cause


def is_create(case: Case) -> Judgement | None:
    """An update of a record that was deleted made it anew: then that is a create.

    A create may rightly be ordered after the delete, so that no hold of it proves anything.
    """
    if case.record.update_never_creates:
        return None
    for event in case.record.of(Action.CONFIRM_NO_CREATE):
        if any(one.marker for look in _looks(event) for one in look.readings):
            reason = (
                "An update of a memory that was deleted before made it anew: it is a create, which "
                "may rightly come after the delete. If an update must never do that, say "
                "`update_never_creates: true`."
            )
            return inconclusive(event, Cause.HELD_WRITE_IS_CREATE, reason)
    return None


def create_control_missing(case: Case) -> Judgement | None:
    """A write was held by the gate, and nothing shows that it is no create."""
    by_thread = case.record.deletion_contract == DeletionContract.THREAD_CHECKPOINT
    if not case.is_held_by_gate or case.record.update_never_creates or by_thread:
        return None
    if _is_shown_to_be_no_create(case):
        return None
    reason = "The create control is not whole: nothing shows that the held update makes no record."
    return inconclusive(None, Cause.EVIDENCE_INCOMPLETE, reason)


def _is_shown_to_be_no_create(case: Case) -> bool:
    record = case.record
    confirmed = record.of(Action.CREATE_CONTROL_CONFIRM)
    deleted = [
        one for one in record.of(Action.CREATE_CONTROL_DELETE) if one.outcome is Outcome.DONE
    ]
    absent = record.of(Action.CREATE_CONTROL_ABSENT)
    updated = [
        one for one in record.of(Action.CREATE_CONTROL_UPDATE) if one.outcome is Outcome.DONE
    ]
    watched = record.of(Action.CONFIRM_NO_CREATE)
    chain = [confirmed, deleted, absent, updated, watched]
    if not all(chain) or any(a[0].seq >= b[0].seq for a, b in pairwise(chain)):
        return False
    controls = controls_of(_looks(confirmed[0]))
    if SEARCH not in controls.proven or not settled_row(_looks(absent[0]), controls):
        return False
    watch = watched[0].watch
    if watch is None or any(look.started_ms < updated[0].ended_ms for look in watch.looks):
        return False
    if _was_refused(case, updated[0]):
        return bool(settled_row(watch.looks, controls))
    return coverage_of(watch, controls, SEARCH).is_whole(watch.window_ms)


def _was_refused(case: Case, event: Event) -> bool:
    kept = [one for one in case.record.evidence if one.step in event.evidence_steps]
    return bool(kept) and kept[-1].outcome is not Outcome.DONE


def out_of_order(case: Case) -> Judgement | None:
    """The held write was not held over the delete and the proof of absence."""
    begun = case.record.of(Action.BEGIN_PENDING_WRITE)
    released = case.record.of(Action.RELEASE_PENDING_WRITES)
    if not begun or not released or case.delete is None or case.absence is None:
        return None
    moments = [
        begun[0].started_ms,
        begun[0].ended_ms,
        case.delete.started_ms,
        case.delete.ended_ms,
        case.absence[1],
        released[0].started_ms,
        released[0].ended_ms,
    ]
    if case.is_held_by_gate:
        sent = [one.started_ms for one in case.record.of(Action.HELD_WRITE_DONE)]
        if not sent or not begun[0].started_ms <= sent[0] <= begun[0].ended_ms:
            moments.insert(0, float("inf"))
    if all(earlier <= later for earlier, later in pairwise(moments)):
        return None
    reason = "Hold, delete, proven absence and release are not in this order."
    return inconclusive(released[0], Cause.EVIDENCE_INCOMPLETE, reason)


def not_shown(case: Case) -> Judgement | None:
    """The hold control did not deliver its update; it gates PASS only."""
    if not case.record.of(Action.BEGIN_PENDING_WRITE):
        return None
    for event in case.record.of(Action.CONFIRM_HOLD):
        if any(one.bystander for look in _looks(event) for one in look.readings):
            return None
    reason = "The hold control failed: a released update of a living memory never showed."
    return inconclusive(None, Cause.HELD_WRITE_NOT_PROCESSED, reason)


def applied_while_held(case: Case) -> Judgement | None:
    """The control's update showed while it was held, or nobody looked for it.

    It matters where the hold does not keep the write itself from ending: where a worker is paused,
    and where a write was answered before its release. Then it may have been done before the delete.
    """
    if case.mechanism != WORKER_PAUSE and not _ended_early(case):
        return None
    for event in case.record.of(Action.CONFIRM_HELD):
        readings = [one for look in _looks(event) for one in look.readings]
        read = [one for one in readings if one.outcome is Outcome.DONE]
        if read and not any(one.bystander for one in readings):
            return None
    reason = (
        "Nothing shows that the write was held back: it was answered, or queued, before its "
        "release, and in the hold control such an update was visible while it was held."
    )
    return inconclusive(None, Cause.HELD_WRITE_NOT_PROCESSED, reason)


def _ended_early(case: Case) -> bool:
    pairs = (
        (Action.HELD_WRITE_DONE, Action.RELEASE_PENDING_WRITES),
        (Action.CONTROL_WRITE_DONE, Action.CONTROL_RELEASE),
    )
    return any(
        done.ended_ms < released.started_ms
        for written, release in pairs
        for done in case.record.of(written)
        for released in case.record.of(release)
    )


def only_on_the_wire(case: Case) -> Judgement | None:
    """A withheld request body proves no PASS: perhaps the service had not begun with it."""
    if case.mechanism != WITHHELD_BODY:
        return None
    reason = (
        "The write was held by withholding the end of its request, and nothing shows that the "
        "service had begun with it before the delete. A stronger hold can: the model stand-in, a "
        "store, a worker, or the service's own hook."
    )
    return inconclusive(None, Cause.HELD_WRITE_NOT_PROCESSED, reason)


def _looks(event: Event) -> tuple[Look, ...]:
    return event.watch.looks if event.watch else ()
