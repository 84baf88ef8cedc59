"""The policy suite on the reference image in real Docker, over one real container restart."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtru_ci.domain.report import Report
from memtru_ci.domain.timeline import Action
from memtru_ci.scenarios.policy_cases import POLICY_CASES
from tests.matrix.test_policy_matrix import baseline_matches

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
MEMTRU = (sys.executable, "-m", "memtru_ci")


def _tested(image: str, folder: Path, *more: str) -> tuple[int, Report]:
    options = ["--target", f"image:{image}", "--scenario", "policy", "--quiet", *more]
    done = subprocess.run(
        [*MEMTRU, "test", *options, "--output-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
    )
    report = folder / "report.json"
    assert report.exists(), done.stdout + done.stderr
    return done.returncode, Report.model_validate_json(report.read_text())


@pytest.fixture(scope="module")
def runs(
    reference_image: str, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, tuple[int, Report]]:
    """The correct service, and the one that only appends."""
    folder = tmp_path_factory.mktemp("policy")
    broken = ("--env", "MEMTRU_DEFECT=append_only")
    return {
        "correct": _tested(reference_image, folder / "correct"),
        "append_only": _tested(reference_image, folder / "append_only", *broken),
    }


def test_the_reference_image_passes_every_case(runs: Mapping[str, tuple[int, Report]]) -> None:
    code, report = runs["correct"]
    assert [one.reason for one in report.results if one.verdict != "PASS"] == []
    assert [one.scenario for one in report.results] == [one.id for one in POLICY_CASES]
    assert code == 0


def test_an_append_only_image_matches_what_the_baseline_matches(
    runs: Mapping[str, tuple[int, Report]],
) -> None:
    code, report = runs["append_only"]
    passed = [one.verdict == "PASS" for one in report.results]
    assert passed == list(baseline_matches().values())
    assert {one.verdict.value for one in report.results} == {"PASS", "FAIL"}
    assert code == 1


def test_all_cases_went_through_one_restart_of_one_container(
    runs: Mapping[str, tuple[int, Report]],
) -> None:
    for _, report in runs.values():
        restarts = set()
        for result in report.results:
            assert result.record is not None
            (event,) = result.record.of(Action.RESTART)
            assert event.restart is not None
            assert event.restart.provider == "container"
            assert event.restart.is_new_process
            restarts.add(event.restart.new_started_at)
        assert len(restarts) == 1


def test_the_saved_reports_are_judged_the_same_again(
    runs: Mapping[str, tuple[int, Report]], tmp_path: Path
) -> None:
    for _, report in runs.values():
        saved = tmp_path / "report.json"
        saved.write_text(report.model_dump_json())
        done = subprocess.run(
            [*MEMTRU, "judge", str(saved)], cwd=ROOT, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_left_on_the_engine(runs: Mapping[str, tuple[int, Report]]) -> None:
    import docker

    client = docker.from_env(timeout=60)
    try:
        for _, report in runs.values():
            labels = {"label": f"io.memtru.run={report.run_id}"}
            assert client.containers.list(all=True, filters=labels) == []
            assert report.left_behind == []
    finally:
        client.close()
