"""Scenario by defect on the reference image in real Docker, each with a real container restart."""

import json
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Verdict
from tests.matrix.expectations import CORRECT, MATRIX, SCENARIOS, Expected, window_ms

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = 3
REPEATS = 3
TEST = (sys.executable, "-m", "memtru_ci", "test")
AFTERLIFE = ("MT-AF-001", "MT-AF-002")


def _tested(image: str, defect: str, folder: Path) -> tuple[int, Report]:
    """What comes of the image; again where this busy machine left a window open."""
    for attempt in range(REPEATS):
        code, report = _tested_once(image, defect, folder / str(attempt))
        if all(one.cause != "window_not_covered" for one in report.results):
            break
    return code, report


def _tested_once(image: str, defect: str, folder: Path) -> tuple[int, Report]:
    """What `memtru-ci test` makes of the image: exit code and report."""
    chosen = [] if defect == CORRECT else ["--env", f"MEMTRU_DEFECT={defect}"]
    options = ["--scenario", "afterlife", "--window", str(window_ms(defect) / 1000), "--quiet"]
    done = subprocess.run(
        [*TEST, "--target", f"image:{image}", *chosen, *options, "--output-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    report = folder / "report.json"
    assert report.exists(), done.stdout + done.stderr
    return done.returncode, Report.model_validate_json(report.read_text())


@pytest.fixture(scope="module")
def runs(
    reference_image: str, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, tuple[int, Report]]:
    """A run for each defect, a few side by side."""
    folder = tmp_path_factory.mktemp("matrix")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        pending = {one: pool.submit(_tested, reference_image, one, folder / one) for one in MATRIX}
        return {one: future.result() for one, future in pending.items()}


def _result(runs: Mapping[str, tuple[int, Report]], defect: str, scenario: str) -> ScenarioResult:
    return next(one for one in runs[defect][1].results if one.scenario == scenario)


@pytest.mark.parametrize("defect", MATRIX)
@pytest.mark.parametrize("scenario", AFTERLIFE)
def test_the_image_gets_the_verdict_of_the_matrix(
    runs: Mapping[str, tuple[int, Report]], defect: str, scenario: str
) -> None:
    result = _result(runs, defect, scenario)
    found = Expected(result.verdict, result.cause, result.trigger)
    assert found == MATRIX[defect][SCENARIOS.index(scenario)], result.reason


@pytest.mark.parametrize("defect", MATRIX)
def test_the_exit_code_follows_from_the_verdicts(
    runs: Mapping[str, tuple[int, Report]], defect: str
) -> None:
    verdicts = {row.verdict for row in MATRIX[defect][: len(AFTERLIFE)]}
    codes = ((Verdict.FAIL, 1), (Verdict.ERROR, 4), (Verdict.INCONCLUSIVE, 3))
    expected = next((code for verdict, code in codes if verdict in verdicts), 0)
    assert runs[defect][0] == expected


def test_each_restart_is_a_new_process_of_the_same_container(
    runs: Mapping[str, tuple[int, Report]],
) -> None:
    restarts = [
        event.restart
        for _, report in runs.values()
        for result in report.results
        if result.record
        for event in result.record.of(Action.RESTART)
        if event.restart
    ]
    assert len(restarts) >= len(MATRIX)
    for one in restarts:
        assert one.provider == "container"
        assert one.old_started_at < one.new_started_at
        assert one.old_pid != one.new_pid
        assert one.exit_code is not None
        assert not one.killed


@pytest.mark.parametrize("defect", MATRIX)
def test_the_saved_report_is_judged_the_same_again(
    runs: Mapping[str, tuple[int, Report]], defect: str, tmp_path: Path
) -> None:
    saved = tmp_path / "report.json"
    saved.write_text(json.dumps(runs[defect][1].model_dump(mode="json")))
    done = subprocess.run(
        [sys.executable, "-m", "memtru_ci", "judge", str(saved)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_left_on_the_engine(runs: Mapping[str, tuple[int, Report]]) -> None:
    import docker

    client: DockerClient = docker.from_env(timeout=60)
    try:
        for _, report in runs.values():
            labels = {"label": f"io.memtru.run={report.run_id}"}
            assert client.containers.list(all=True, filters=labels) == []
            assert client.networks.list(filters=labels) == []
            assert client.volumes.list(filters=labels) == []
            assert report.left_behind == []
    finally:
        client.close()
