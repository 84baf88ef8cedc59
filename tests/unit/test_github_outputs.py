"""Outputs say what a run came to, with paths that later steps can use."""

import json
from pathlib import Path

import pytest

from memtru_ci.domain.report import ScenarioResult
from memtru_ci.github.outputs import (
    MAX_RESULTS_BYTES,
    OUTPUTS,
    outputs_of,
    outputs_without_run,
    results_of,
)
from memtru_ci.reporters import reporters_for
from memtru_ci.reporters.writing import write_all
from tests import examples


def test_outputs_of_a_run(tmp_path: Path) -> None:
    folder = tmp_path / "memtru-results"
    report = examples.report(examples.failed(), examples.passed(), examples.skipped())
    write_all(report, folder, reporters_for())
    outputs = outputs_of(report, folder, tmp_path)
    assert list(outputs) == list(OUTPUTS)
    assert {name: outputs[name] for name in OUTPUTS[:-1]} == {
        "verdict": "fail",
        "exit-code": "1",
        "findings": "1",
        "passed": "1",
        "failed": "1",
        "inconclusive": "0",
        "skipped": "1",
        "sarif-file": "memtru-results/memtru.sarif",
        "report-file": "memtru-results/report.json",
        "summary-file": "memtru-results/summary.md",
        "sarif-upload": "true",
    }


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (examples.passed(), "pass"),
        (examples.failed(), "fail"),
        (examples.inconclusive(), "inconclusive"),
        (examples.errored(), "error"),
        (examples.skipped(), "inconclusive"),
    ],
)
def test_the_verdict_is_one_of_four_words(
    result: ScenarioResult, verdict: str, tmp_path: Path
) -> None:
    assert outputs_of(examples.report(result), tmp_path, tmp_path)["verdict"] == verdict


@pytest.mark.parametrize("result", [examples.inconclusive(), examples.errored()])
def test_an_incomplete_run_is_not_to_be_uploaded(result: ScenarioResult, tmp_path: Path) -> None:
    report = examples.report(examples.failed(), result)
    assert outputs_of(report, tmp_path, tmp_path)["sarif-upload"] == "false"


def test_a_file_that_was_not_written_is_not_named(tmp_path: Path) -> None:
    assert outputs_of(examples.report(), tmp_path, tmp_path)["sarif-file"] == ""


def test_results_are_compact_and_name_cause_and_trigger() -> None:
    assert json.loads(results_of(examples.report(examples.failed(), examples.passed()))) == [
        {
            "scenario": "MT-AF-001",
            "verdict": "FAIL",
            "cause": "late_write_resurrected",
            "trigger": "release_pending_writes",
        },
        {"scenario": "MT-DEL-003", "verdict": "PASS", "cause": None, "trigger": None},
    ]


def test_results_stay_under_their_limit_and_stay_json() -> None:
    report = examples.report(*[examples.passed()] * 5_000)
    text = results_of(report)
    assert len(text.encode()) <= MAX_RESULTS_BYTES
    assert json.loads(text)


def test_a_step_that_ran_nothing_still_sets_every_output() -> None:
    outputs = outputs_without_run(2)
    assert list(outputs) == list(OUTPUTS)
    told = (outputs["verdict"], outputs["exit-code"], outputs["sarif-upload"])
    assert told == ("error", "2", "false")
