"""A library whose results are not published: only that the gate comes to a verdict, and how well.

Nothing here prints, keeps or compares a verdict: what is asserted are sentences without one.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from memtru_ci.domain.rejudge import rejudge
from memtru_ci.domain.report import HoldFacts, Report, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.scenarios import PROMISES
from tests.examples_of_services import ROOT, WINDOW_S

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

FOLDERS = ("mem0-infer", "mem0-no-infer")
SCENARIOS = ("MT-AF-001", "MT-AF-002")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_gate_comes_to_a_verdict_with_complete_evidence(name: str) -> None:
    missing = _missing(name)
    assert missing == []


def _missing(name: str) -> list[str]:
    """What the run lacks; the reports are gone at the end, and the output goes nowhere."""
    config = ROOT / "examples" / name / "memtru.yml"
    with tempfile.TemporaryDirectory() as into:
        command = [sys.executable, "-m", "memtru_ci", "test", "--config", str(config)]
        command += ["--output-dir", into, "--window", str(WINDOW_S), "--quiet"]
        runner = {"GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ACTIONS"}
        given = {name: value for name, value in os.environ.items() if name not in runner}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, cwd=ROOT, env=given, timeout=800, check=False, **quiet)
        try:
            report = Report.model_validate_json(Path(into, "report.json").read_text())
        except (OSError, ValueError):
            return ["a report that can be read"]
        return list(_gaps(report))


def _gaps(report: Report) -> Iterator[str]:
    results = {one.scenario: one for one in report.results}
    if tuple(sorted(results)) != SCENARIOS:
        yield "a result of each scenario, and of no other"
        return
    for name in SCENARIOS:
        yield from (f"{name}: {gap}" for gap in _gaps_of(results[name]))
    if not report.complete:
        yield "a complete run"
    if rejudge(report, PROMISES).differences:
        yield "a record from which the same is judged again"


def _gaps_of(result: ScenarioResult) -> Iterator[str]:
    if result.verdict not in (Verdict.PASS, Verdict.FAIL):
        yield "a verdict"
    if result.record is None or not result.record.evidence or not result.windows:
        yield "a record with its evidence"
    if result.scenario == "MT-AF-001" and not _is_ordered(result.hold):
        yield "a held write, in order"


def _is_ordered(hold: HoldFacts | None) -> bool:
    """Rule 10: held, deleted, proven gone, and only then released."""
    if hold is None:
        return False
    moments = (
        hold.sent,
        hold.seen_at_hold,
        hold.delete_sent,
        hold.delete_acknowledged,
        hold.absence_proven,
        hold.released,
        hold.write_done,
    )
    known = [moment for moment in moments if moment is not None]
    return len(known) == len(moments) and all(one <= other for one, other in pairwise(known))
