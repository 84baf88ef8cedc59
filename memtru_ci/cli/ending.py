"""The last block that a user sees: the verdict, each scenario, the reports, and what to do next."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from memtru_ci.cli.colours import coloured
from memtru_ci.cli.layout import hung, width_of
from memtru_ci.domain.folding import Fold, folded
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters import REPORTERS
from memtru_ci.reporters.text import terminal_safe
from memtru_ci.reporters.words import headline_of, next_step_of

_FAILING_FIRST = (
    Verdict.FAIL,
    Verdict.ERROR,
    Verdict.INCONCLUSIVE,
    Verdict.SKIPPED,
    Verdict.PASS,
)

Row = tuple[str, str]


def show_ending(
    report: Report, folder: Path, again: str, *, quiet: bool = False, on_stderr: bool = False
) -> None:
    """Print the block; `again` is the command that performs the run again."""
    out: TextIO = sys.stderr if on_stderr else sys.stdout
    rows = verdict_rows(report) if quiet else all_rows(report, folder, again)
    for head, text in rows:
        for line in hung(head, terminal_safe(text), width_of(out)):
            print(coloured(line, out), file=out)


def all_rows(report: Report, folder: Path, again: str) -> Iterator[Row]:
    """Everything, as heads and texts; what failed comes first."""
    yield "", ""
    told: set[str] = set()
    results, folds = folded(report.results)
    for result in sorted(results, key=lambda one: _FAILING_FIRST.index(one.verdict)):
        is_told = result.verdict is Verdict.ERROR and result.reason in told
        yield from _scenario_rows(result, "as above" if is_told else result.reason)
        told.add(result.reason)
    for fold in sorted(folds, key=lambda one: _FAILING_FIRST.index(one.verdict)):
        yield from _fold_rows(fold)
    yield from _extra_rows(report)
    yield from verdict_rows(report)
    files = ", ".join(REPORTERS)
    yield "Reports:  ", f"{folder}: {files}"
    yield "Again:    ", again


def not_passed(report: Report) -> list[str]:
    """The scenarios that someone may want to perform again."""
    return [one.scenario for one in report.results if one.verdict is not Verdict.PASS]


def nothing_started(report: Report) -> str:
    """Why the target could not be brought up at all; empty where it was."""
    reasons = {one.reason for one in report.results if one.verdict is Verdict.ERROR}
    is_all = len(report.results) > 0 and all(one.record is None for one in report.results)
    return reasons.pop() if is_all and len(reasons) == 1 and report.target.service is None else ""


def verdict_rows(report: Report) -> Iterator[Row]:
    """The verdict, how often each was reached, and whether the gate is open."""
    counts = report.counts
    yield (
        "Verdict:  ",
        f"{report.verdict}: {headline_of(report)} ({counts.passed} passed, "
        f"{counts.failed} failed, {counts.inconclusive} inconclusive, {counts.error} in error, "
        f"{counts.skipped} skipped)",
    )
    reasons = "; ".join(report.gate.reasons)
    state = "open" if report.gate.open else f"closed: {reasons}"
    yield "Gate:     ", f"{state} (exit code {report.gate.exit_code})"


def _scenario_rows(result: ScenarioResult, reason: str) -> Iterator[Row]:
    yield f"{result.verdict:<13}", f"{result.scenario}  {result.title}"
    yield from (("             ", line) for line in reason.splitlines())
    if result.cause is not None:
        trigger = f", after {result.trigger}" if result.trigger else ""
        yield "  cause      ", f"{result.cause}{trigger}"
        yield "  next       ", next_step_of(result.cause)
    if result.log_tail:
        yield "  its log    ", ""
        yield from (("    ", line) for line in result.log_tail.splitlines()[-10:])
    for note in result.notes:
        yield "  note       ", note
    for left in result.cleanup.left:
        yield "  left       ", left
    yield "", ""


def _fold_rows(fold: Fold) -> Iterator[Row]:
    yield f"{fold.verdict:<13}", fold.name
    yield "             ", fold.reason
    yield "", ""


def _extra_rows(report: Report) -> Iterator[Row]:
    if report.interrupted:
        yield "Stopped:  ", report.interrupted
    for note in report.target.notes:
        yield "Note:     ", note
    for warning in report.warnings:
        yield "Warning:  ", warning
    for left in report.left_behind:
        yield "Left:     ", f"{left} (`memtru-ci clean` tries again)"
