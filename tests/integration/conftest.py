"""What the tests on a real engine share: a client of their own, and the image of the fixture."""

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

import anyio
import pytest

from memtru_ci.containers import Engine, clean
from tests.instances import FIXTURE

if TYPE_CHECKING:
    from docker import DockerClient


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def client() -> Iterator["DockerClient"]:
    import docker

    client = docker.from_env(timeout=60)
    yield client
    client.close()


@pytest.fixture(scope="session")
def image() -> Iterator[str]:
    """The id of an image of `tests/fixtures/target`."""
    run_id = f"test-{secrets.token_hex(4)}"

    async def build() -> str:
        engine = Engine(run_id)
        built = await engine.build(FIXTURE, "Dockerfile", 300)
        engine.close()
        return built.id

    yield anyio.run(build)
    clean(run_id)


@pytest.fixture
def engine() -> Iterator[Engine]:
    """The engine as a run of its own uses it."""
    engine = Engine(f"test-{secrets.token_hex(4)}")
    yield engine
    engine.close()
