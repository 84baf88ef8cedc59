"""The action's outputs, as they follow from a report."""

import json
from collections.abc import Mapping
from pathlib import Path

from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Verdict

MAX_RESULTS_BYTES = 64 * 1024
_FILES = {"sarif-file": "memtru.sarif", "report-file": "report.json", "summary-file": "summary.md"}
_VERDICTS = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.ERROR: "error",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.SKIPPED: "inconclusive",
}

OUTPUTS = (
    *("verdict", "exit-code", "findings", "passed", "failed", "inconclusive", "skipped"),
    *("sarif-file", "report-file", "summary-file", "sarif-upload", "results"),
)
"""Every output by its name in action.yml, in its order."""


def outputs_of(report: Report, folder: Path, workspace: Path) -> dict[str, str]:
    """All outputs of a run. Paths are relative to the workspace, as later steps see it."""
    counts = report.counts
    return {
        "verdict": _VERDICTS[report.verdict],
        "exit-code": str(report.gate.exit_code),
        "findings": str(counts.failed),
        "passed": str(counts.passed),
        "failed": str(counts.failed),
        "inconclusive": str(counts.inconclusive),
        "skipped": str(counts.skipped),
        **{name: _place(folder / file, workspace) for name, file in _FILES.items()},
        "sarif-upload": _truth(report.complete),
        "results": results_of(report),
    }


def outputs_without_run(exit_code: int) -> dict[str, str]:
    """The outputs of a step in which nothing could be run."""
    told: Mapping[str, str] = {
        "verdict": "error",
        "exit-code": str(exit_code),
        "sarif-upload": "false",
        "results": "[]",
    }
    return {name: told.get(name, "") for name in OUTPUTS}


def results_of(report: Report) -> str:
    """Verdict and cause of every scenario as compact JSON; cut at its end where it is too long."""
    told = [
        {
            "scenario": one.scenario,
            "verdict": one.verdict.value,
            "cause": one.cause.value if one.cause else None,
            "trigger": one.trigger.value if one.trigger else None,
        }
        for one in report.results
    ]
    while len(text := json.dumps(told, separators=(",", ":"))) > MAX_RESULTS_BYTES:
        told = told[: len(told) * 9 // 10]
    return text


def _place(path: Path, workspace: Path) -> str:
    whole = workspace / path
    return whole.relative_to(workspace).as_posix() if whole.is_file() else ""


def _truth(value: bool) -> str:
    return "true" if value else "false"
