"""From a record to the result that a report shows."""

from collections.abc import Sequence

from memtru_ci.domain.case import Case, Judgement
from memtru_ci.domain.derive import derived
from memtru_ci.domain.judge import judge
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import CleanupFacts, ScenarioResult
from memtru_ci.domain.telling import afterlife_of, hold_of, surfaces_of, windows_of
from memtru_ci.domain.verdict import Cause, Verdict


def result_of(
    promise: Promise,
    record: Record,
    *,
    duration_ms: int = 0,
    notes: Sequence[str] = (),
    cleanup: CleanupFacts | None = None,
    log_tail: str = "",
) -> ScenarioResult:
    """Judge a record by its evidence and tell what it holds."""
    record = derived(record)
    case = Case(promise, record)
    judgement = judge(promise, record)
    is_fail = judgement.verdict is Verdict.FAIL
    return ScenarioResult(
        scenario=promise.id,
        title=promise.title,
        suite=promise.suite,
        severity=promise.severity,
        verdict=judgement.verdict,
        cause=judgement.cause,
        reason=judgement.reason,
        trigger=judgement.trigger,
        deciding_event=judgement.deciding_event,
        finding=judgement.cause.value if is_fail and judgement.cause else None,
        duration_ms=duration_ms,
        surfaces=surfaces_of(case),
        windows=windows_of(case),
        hold=hold_of(case),
        afterlife=afterlife_of(case, judgement) if promise.afterlife and record.events else None,
        notes=list(notes),
        cleanup=cleanup or CleanupFacts(),
        log_tail=log_tail,
        record=record,
    )


def result_without_trial(
    promise: Promise, verdict: Verdict, cause: Cause, reason: str
) -> ScenarioResult:
    """A result where no trial was begun: the target did not start, or the run was over."""
    judgement = Judgement(verdict, reason, cause)
    return ScenarioResult(
        scenario=promise.id,
        title=promise.title,
        suite=promise.suite,
        severity=promise.severity,
        verdict=judgement.verdict,
        cause=judgement.cause,
        reason=judgement.reason,
    )
