"""What all tests share: those that need Docker run when an engine answers, else they say so."""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REQUIRE_DOCKER = "MEMTRU_REQUIRE_DOCKER"
IMAGE = "MEMTRU_IMAGE"


@lru_cache(maxsize=1)
def missing_engine() -> str | None:
    """Why no Docker Engine can be used, or None when one answers."""
    import docker
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        client = docker.from_env(timeout=10)
        try:
            client.ping()
        finally:
            client.close()
    except (DockerException, RequestException) as error:
        return f"no Docker Engine answers: {str(error).splitlines()[0][:160]}"
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test that needs Docker when there is none, or fails it when Docker is required."""
    if item.get_closest_marker("integration") is None:
        return
    reason = missing_engine()
    if reason is None:
        return
    if os.environ.get(REQUIRE_DOCKER) == "1":
        pytest.fail(f"{reason} ({REQUIRE_DOCKER}=1)", pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many tests were not run for want of Docker, where nobody can overlook it."""
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if "no Docker Engine answers" in str(report.longrepr)
    ]
    if not skipped:
        return
    terminalreporter.section("DOCKER IS MISSING", sep="!", red=True, bold=True)
    terminalreporter.line(f"{len(skipped)} tests were NOT RUN: {missing_engine()}", red=True)
    terminalreporter.line(
        "Start an engine (or set DOCKER_HOST) and run again; "
        f"{REQUIRE_DOCKER}=1 makes a missing engine a failure."
    )


@pytest.fixture(scope="session")
def memtru_image() -> Iterator[str]:
    """The project's own image: the one named by MEMTRU_IMAGE, else built from this tree."""
    named = os.environ.get(IMAGE)
    if named:
        yield named
        return
    import docker

    tag = f"memtru/ci:test-{os.getpid()}"
    client = docker.from_env(timeout=600)
    try:
        client.images.build(path=str(ROOT), tag=tag, rm=True)
        yield tag
        client.images.remove(tag, noprune=True)
    finally:
        client.close()


@pytest.fixture(scope="session")
def reference_image(memtru_image: str) -> Iterator[str]:
    """The reference service as an image to test."""
    import docker

    tag = f"memtru/reference:test-{os.getpid()}"
    client = docker.from_env(timeout=300)
    try:
        client.images.build(
            path=str(ROOT / "examples" / "reference"),
            tag=tag,
            rm=True,
            buildargs={"MEMTRU_IMAGE": memtru_image},
        )
        yield tag
        client.images.remove(tag, noprune=True)
    finally:
        client.close()
