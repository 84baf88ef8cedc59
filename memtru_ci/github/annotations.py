"""Annotations: what failed, beside the line that findings are shown at."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from memtru_ci.domain.folding import folded
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.github.log import Log
from memtru_ci.reporters.words import next_step_of

MAX_OF_A_TYPE = 10
"""GitHub drops what a step has over this."""

_TYPES = {
    Verdict.FAIL: "error",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "warning",
    Verdict.SKIPPED: "notice",
}
_SEVERITIES = ("critical", "high", "medium", "low")


@dataclass(frozen=True)
class Annotation:
    """A message beside a line of a file, or none."""

    title: str
    message: str
    file: str = ""
    line: int = 0


def annotate(log: Log, report: Report, sarif: Path) -> None:
    """Write the annotations of a run; findings stand where `sarif` has them."""
    places = _places(sarif)
    results, folds = folded(report.results)
    for kind in ("error", "warning", "notice"):
        found = [
            _annotation(one, places.get(one.scenario, ("", 0)))
            for one in sorted(results, key=_rank)
            if _TYPES.get(one.verdict) == kind
        ]
        found += [
            Annotation(f"{one.name} {one.verdict.value}", one.reason)
            for one in folds
            if _TYPES.get(one.verdict) == kind
        ]
        for one in _most_of(found):
            log.command(kind, one.message, file=one.file, line=one.line, title=one.title)


def _most_of(found: Sequence[Annotation]) -> Iterator[Annotation]:
    """All of them, or the worst, and how many more there are."""
    if len(found) <= MAX_OF_A_TYPE:
        yield from found
        return
    yield from found[: MAX_OF_A_TYPE - 1]
    more = len(found) - (MAX_OF_A_TYPE - 1)
    yield Annotation("memtru-ci", f"{more} more: see the job's summary.")


def _annotation(result: ScenarioResult, place: tuple[str, int]) -> Annotation:
    file, line = place
    reason = result.reason if result.reason.endswith((".", "?", "!")) else f"{result.reason}."
    message = f"{reason} {next_step_of(result.cause)}".strip()
    return Annotation(f"{result.scenario} {result.verdict.value}", message, file, line)


def _rank(result: ScenarioResult) -> tuple[int, int]:
    is_finding = result.verdict is Verdict.FAIL
    known = result.severity in _SEVERITIES
    return not is_finding, _SEVERITIES.index(result.severity) if known else len(_SEVERITIES)


def _places(sarif: Path) -> dict[str, tuple[str, int]]:
    """File and line of each finding, by scenario."""
    try:
        results = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
        return {one["ruleId"]: _place(one) for one in results}
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def _place(result: Any) -> tuple[str, int]:
    physical = result["locations"][0]["physicalLocation"]
    return unquote(physical["artifactLocation"]["uri"]), physical["region"]["startLine"]
