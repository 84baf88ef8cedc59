"""What a summary shows of one result."""

from collections.abc import Iterable
from dataclasses import dataclass

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.report import Report, ScenarioResult, WindowFacts
from memtru_ci.domain.telling import command_again
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.diagram import sequence_of
from memtru_ci.reporters.holding import told_hold
from memtru_ci.reporters.rows import Row, rows_of
from memtru_ci.reporters.text import shortened
from memtru_ci.reporters.values import compact
from memtru_ci.reporters.words import CAUSES, FINDINGS, SIGNS, Explanation, Finding

_MAX_ROWS = 60
_MAX_EXCHANGES = 12
_MAX_BODY = 400


@dataclass(frozen=True)
class ResultView:
    """A result with everything that its section needs, bounded."""

    result: ScenarioResult
    sign: str
    rows: list[Row]
    rows_left_out: int
    diagram: str
    trigger: str
    contract: str
    finding: Finding | None
    explanation: Explanation | None
    proven: list[str]
    unproven: list[str]
    hold: str
    """How a write was held; empty where none was."""
    windows: list[WindowFacts]
    remarks: list[str]
    """Notes of the trial, and what it could not remove from the service."""
    evidence: str
    reproduce: str


def view_of(report: Report, result: ScenarioResult) -> ResultView:
    """The view of a result."""
    rows = rows_of(result)
    is_fail = result.verdict is Verdict.FAIL
    return ResultView(
        result=result,
        sign=SIGNS[result.verdict],
        rows=rows[:_MAX_ROWS],
        rows_left_out=max(0, len(rows) - _MAX_ROWS),
        diagram=sequence_of(rows[:_MAX_ROWS]) if is_fail else "",
        trigger=result.trigger.value if result.trigger else "",
        contract=result.afterlife.deletion_contract if result.afterlife else "",
        finding=FINDINGS.get(result.cause) if result.cause else None,
        explanation=CAUSES.get(result.cause) if result.cause else None,
        proven=[one.name for one in result.surfaces if one.proven][:_MAX_ROWS],
        unproven=[one.name for one in result.surfaces if not one.proven][:_MAX_ROWS],
        hold=told_hold(result.hold) if result.hold else "",
        windows=result.windows[:_MAX_ROWS],
        remarks=_remarks(result)[:_MAX_ROWS],
        evidence=_evidence(result) if is_fail else "",
        reproduce="\n".join(reproduce_of(report, result)),
    )


def _remarks(result: ScenarioResult) -> list[str]:
    return [*result.notes, *(f"Left in the service: {one}" for one in result.cleanup.left)]


def reproduce_of(report: Report, result: ScenarioResult) -> list[str]:
    """Commands that show a result again, the first with the run's own target and settings."""
    first = command_again(report, [result.scenario])
    general = f"memtru-ci test --scenario {result.scenario}"
    others = result.afterlife.reproduce if result.afterlife else []
    return [first, *(one for one in others if one not in (first, general))]


def _evidence(result: ScenarioResult) -> str:
    """The exchanges of the deciding event, or the last ones."""
    if result.record is None:
        return ""
    deciding = [one for one in result.record.events if one.seq == result.deciding_event]
    steps = {step for event in deciding for step in event.evidence_steps}
    kept = [one for one in result.record.evidence if one.step in steps]
    return "\n".join(_exchanges(kept or result.record.evidence))


def _exchanges(exchanges: Iterable[Exchange]) -> Iterable[str]:
    for one in list(exchanges)[-_MAX_EXCHANGES:]:
        status = one.status if one.status is not None else one.outcome.value
        yield f"{one.step}. {one.method} {shortened(one.path, 200)} -> {status}"
        if one.request is not None:
            yield f"   sent: {shortened(compact(one.request), _MAX_BODY)}"
        if one.answer is not None:
            yield f"   came: {shortened(compact(one.answer), _MAX_BODY)}"
