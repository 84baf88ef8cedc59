"""The LangGraph application in real Docker: without tombstones it fails, with them it passes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memtru_ci.domain.report import Report

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
TEST = (sys.executable, "-m", "memtru_ci", "test", "--scenario", "all", "--window", "2")
VARIANTS = ("langgraph-without-tombstones", "langgraph-with-tombstones")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_gets_the_verdicts_it_expects(variant: str, tmp_path: Path) -> None:
    folder = ROOT / "examples" / variant
    expected = json.loads((folder / "expected.json").read_text())["expect"]
    done = subprocess.run(
        [*TEST, "--config", str(folder / "memtru.yml"), "--output-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    file = tmp_path / "report.json"
    assert file.exists(), done.stdout + done.stderr
    report = Report.model_validate_json(file.read_text())
    found = {one.scenario: one.model_dump(mode="json") for one in report.results}
    for scenario, wanted in expected.items():
        assert {key: found[scenario][key] for key in wanted} == wanted, found[scenario]["reason"]
    assert found["MT-DEL-003"]["verdict"] == "PASS"
    fails = any(one["verdict"] == "FAIL" for one in expected.values())
    assert done.returncode == (1 if fails else 0)
