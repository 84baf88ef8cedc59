"""What happens to tests that need Docker when no engine answers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = """
import pytest

@pytest.mark.integration
def test_that_needs_docker(): pass

def test_that_needs_nothing(): pass
"""


def run_without_engine(tmp_path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_sample.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = integration\n")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "MEMTRU"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        env={**clean, "DOCKER_HOST": f"unix://{tmp_path}/none.sock", **env},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_an_engine_the_run_succeeds_and_says_loudly_what_was_not_run(
    tmp_path: Path,
) -> None:
    done = run_without_engine(tmp_path)
    assert done.returncode == 0
    assert "DOCKER IS MISSING" in done.stdout
    assert "1 tests were NOT RUN: no Docker Engine answers" in done.stdout
    assert "1 passed, 1 skipped" in done.stdout


def test_without_an_engine_the_run_fails_where_docker_is_required(tmp_path: Path) -> None:
    done = run_without_engine(tmp_path, MEMTRU_REQUIRE_DOCKER="1")
    assert done.returncode == 1
    assert "no Docker Engine answers" in done.stdout
    assert "1 passed, 1 error" in done.stdout


@pytest.mark.parametrize("socket", ["none.sock", "."])
def test_a_missing_socket_or_a_folder_in_its_place_is_no_engine(
    tmp_path: Path, socket: str
) -> None:
    done = run_without_engine(tmp_path, DOCKER_HOST=f"unix://{tmp_path}/{socket}")
    assert "DOCKER IS MISSING" in done.stdout
