"""The action in a workflow, run by act: a second opinion beside the emulator of the runner."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
FIXTURES = ROOT / "tests" / "fixtures"
ACT = Path(sys.executable).with_name("act")

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not ACT.exists(), reason="act is not installed (requirements-ci.lock)"),
]


def git(repository: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    done = subprocess.run(
        ["git", *identity, "-C", str(repository), *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the action at its top, the examples, a sample service, and the workflow."""
    target = tmp_path / "sample"
    for name in git(ROOT, "ls-files", "-co", "--exclude-standard").splitlines():
        if name.startswith((".github/", "tests/")) or not (ROOT / name).is_file():
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)
    shutil.copytree(FIXTURES / "notes", target / "notes")
    (target / ".github" / "workflows").mkdir(parents=True)
    shutil.copy2(FIXTURES / "act-workflow.yml", target / ".github" / "workflows" / "act.yml")
    git(target.parent, "init", "--quiet", "--initial-branch=main", str(target))
    git(target, "remote", "add", "origin", "https://github.com/octo-org/sample.git")
    git(target, "add", "--all")
    git(target, "commit", "--quiet", "--message", "Sample")
    return target


@pytest.fixture
def tidy_engine() -> Iterator[None]:
    """Removes what act leaves on the engine: the action's image and its tool cache."""
    import docker
    from docker.errors import ImageNotFound, NotFound

    client = docker.from_env(timeout=60)
    try:
        had_cache = any(volume.name == "act-toolcache" for volume in client.volumes.list())
        yield
        with suppress(ImageNotFound):
            client.images.remove("act-dockeraction:latest", noprune=True)
        if not had_cache:
            with suppress(NotFound):
                client.volumes.get("act-toolcache").remove()
    finally:
        client.close()


@pytest.mark.usefixtures("tidy_engine")
def test_a_later_step_sees_the_outcome_of_the_action(repository: Path, tmp_path: Path) -> None:
    command = [str(ACT), "push", "-P", "ubuntu-latest=python:3.13-slim", "--pull=false"]
    command += ["--no-cache-server", "--action-offline-mode"]
    command += ["--action-cache-path", str(tmp_path / "cache"), "--rm"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=800)
    log = done.stdout + done.stderr
    assert done.returncode == 0, log
    assert "blind: failure verdict=fail exit-code=1" in log
    assert "sound: success verdict=pass exit-code=0" in log
    for variant, outcome in (("without", "failure"), ("with", "success")):
        expected = json.loads(
            (EXAMPLES / f"langgraph-{variant}-tombstones/expected.json").read_text()
        )
        told = re.search(rf"\| {variant}: {outcome} (.*)", log)
        assert told, log
        results = {one["scenario"]: one for one in json.loads(told[1])}
        for scenario, wanted in expected["expect"].items():
            want = {key: wanted.get(key) for key in ("verdict", "cause", "trigger")}
            assert {key: results[scenario][key] for key in want} == want
