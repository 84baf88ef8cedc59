"""The README's Docker commands do what it says, word for word but for the images' names."""

import shlex
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
COMMANDS = [line for line in README.splitlines() if line.startswith("docker run ")]
SHOWS = {"": "Usage: memtru-ci", "demo": "MT-AF-001", "test": "Deleted memory stayed deleted"}


def test_the_readme_has_docker_commands() -> None:
    assert len(COMMANDS) == len(SHOWS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_docker_command_of_the_readme_works(
    command: str, memtru_image: str, reference_image: str, tmp_path: Path
) -> None:
    line = command.replace("memtru/ci", memtru_image, 1).replace("acme/memory:1.2", reference_image)
    here = line.replace("docker run", "docker run --rm", 1).replace("$PWD", str(tmp_path))
    done = subprocess.run(
        shlex.split(here),
        capture_output=True,
        text=True,
        timeout=280,
    )
    what = next((one for one in ("demo", "test") if f" {one}" in command), "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert SHOWS[what] in done.stdout + done.stderr
    assert (tmp_path / "memtru-results" / "report.json").exists() == (what == "test")
