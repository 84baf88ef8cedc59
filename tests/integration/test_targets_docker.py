"""Targets in containers on a real engine: started, restarted, dying, attached to."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest

from memtru_ci.containers import Engine, labels
from memtru_ci.errors import EngineError, NoAnswer, TargetError, TargetLost
from memtru_ci.targets.build import BuildTarget
from memtru_ci.targets.contained import ContainerInstance
from memtru_ci.targets.container import ContainerTarget
from memtru_ci.targets.image import ImageTarget
from memtru_ci.targets.options import ContainerOptions
from tests.instances import FIXTURE, KeptLog, boot_of, environment_of

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]

DURABLE = ContainerOptions(volumes={"data": "/data"}, ready_timeout_s=30, stop_grace_s=5)


def behaving(behaviour: str, **changes: Any) -> ContainerOptions:
    return replace(DURABLE, env={"BEHAVIOUR": behaviour}, **changes)


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine(f"test-{secrets.token_hex(4)}")
    yield engine
    engine.close()


def target(image: str, engine: Engine, options: ContainerOptions = DURABLE) -> ImageTarget:
    return ImageTarget(image, options, engine.run_id, engine)


def remains(client: "DockerClient", engine: Engine) -> int:
    wanted: Any = {"label": labels.filters(engine.run_id)}
    volumes = client.api.volumes(filters=wanted)["Volumes"] or ()
    containers = client.api.containers(all=True, filters=wanted)
    return len(containers) + len(client.api.networks(filters=wanted)) + len(volumes)


async def get(instance: ContainerInstance, client: "DockerClient", path: str) -> None:
    """Ask the target for what is not in the contract."""
    networks = client.containers.get(instance.container.id).attrs["NetworkSettings"]["Networks"]
    address = next(iter(networks.values()))["IPAddress"]
    async with httpx.AsyncClient(trust_env=False) as direct:
        with pytest.raises(httpx.HTTPError):
            await direct.get(f"http://{address}:8080{path}")


async def test_an_image_is_started_answers_and_is_removed(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    tested = target(image, engine, replace(DURABLE, env={"ONLY": "this"}))
    async with tested.started() as instance:
        boots, environment = await boot_of(instance), await environment_of(instance)
        death = await instance.autopsy()

    assert (boots, environment["ONLY"], death) == (1, "this", "")
    assert tested.facts().image_digest == image
    assert tested.facts().notes == ()
    assert remains(client, engine) == 0
    assert engine.left_behind == []


async def test_a_restart_is_a_new_process_over_the_same_data(image: str, engine: Engine) -> None:
    async with target(image, engine).started() as instance:
        service = instance.service(KeptLog())
        receipt = await instance.restart()
        boots = (await service.info()).value.version

    assert boots == "2"
    assert receipt.provider == "container"
    assert receipt.is_new_process
    assert receipt.old_started_at < receipt.new_started_at
    assert receipt.old_pid != receipt.new_pid
    assert (receipt.exit_code, receipt.signal, receipt.killed) == (0, "SIGTERM", False)
    assert receipt.grace_s == 5
    assert 0 < receipt.ready_ms < 30_000


async def test_a_process_that_ignores_sigterm_is_killed_when_its_grace_is_over(
    image: str, engine: Engine
) -> None:
    options = behaving("stubborn", stop_grace_s=1.0)
    async with target(image, engine, options).started() as instance:
        receipt = await instance.restart()
        boots = await boot_of(instance)

    assert (receipt.exit_code, receipt.killed, receipt.oom_killed) == (137, True, False)
    assert boots == 2


async def test_a_crash_is_a_kill_without_a_warning(image: str, engine: Engine) -> None:
    async with target(image, engine).started() as instance:
        receipt = await instance.crash()
        boots = await boot_of(instance)

    assert (receipt.signal, receipt.exit_code, receipt.grace_s) == ("SIGKILL", 137, None)
    assert receipt.is_new_process
    assert boots == 2


async def test_an_exit_at_start_is_told_with_code_and_log(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    began = time.monotonic()

    with pytest.raises(TargetError) as caught:
        async with target(image, engine, behaving("exits")).started():
            pass

    assert "died at its start: it exited with code 3" in caught.value.message
    assert "  | no database here" in caught.value.message
    assert time.monotonic() - began < 15
    assert remains(client, engine) == 0


async def test_a_command_that_does_not_exist_is_one_clear_error(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    options = replace(DURABLE, command=["no-such-program"])

    with pytest.raises((EngineError, TargetError), match="no-such-program"):
        async with target(image, engine, options).started():
            pass

    assert remains(client, engine) == 0


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("unhealthy", "GET /health did not answer 200"),
        ("deaf", "nothing listens at"),
        ("local", "nothing listens at"),
    ],
)
async def test_what_never_becomes_healthy_is_told_in_time(
    client: "DockerClient", image: str, engine: Engine, behaviour: str, told: str
) -> None:
    options = behaving(behaviour, ready_timeout_s=2.0)

    with pytest.raises(TargetError) as caught:
        async with target(image, engine, options).started():
            pass

    assert told in caught.value.message
    assert "within 2 s" in caught.value.message
    assert "  | start number 1" in caught.value.message
    assert remains(client, engine) == 0


async def test_a_death_in_the_middle_has_an_autopsy(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine).started() as instance:
        await get(instance, client, "/die")
        with pytest.raises((TargetLost, NoAnswer)):  # it may die with the connection accepted
            await boot_of(instance)
        death = await instance.autopsy()
        with pytest.raises(TargetError, match="died before its restart"):
            await instance.restart()

    assert death.startswith("it exited with code 7")
    assert "  | the end is near" in death


async def test_want_of_memory_is_told(client: "DockerClient", image: str, engine: Engine) -> None:
    options = replace(DURABLE, memory="48m")
    async with target(image, engine, options).started() as instance:
        await get(instance, client, "/hog")
        with anyio.move_on_after(10):
            while not (death := await instance.autopsy()):
                await anyio.lowlevel.checkpoint()

    assert "killed for want of memory" in death


async def test_a_container_removed_by_somebody_else_is_told(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine).started() as instance:
        client.api.remove_container(instance.container.id, force=True, v=True)

        assert "removed by somebody else" in await instance.autopsy()


async def test_what_does_not_come_back_is_told_with_code_and_log(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, behaving("once")).started() as instance:
        with pytest.raises(TargetError) as caught:
            await instance.restart()

    assert "died after its restart: it exited with code 3" in caught.value.message
    assert "  | no database here" in caught.value.message
    assert remains(client, engine) == 0


async def test_a_restart_that_is_cancelled_does_not_wait_for_its_grace(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    options = behaving("stubborn", stop_grace_s=30)
    async with target(image, engine, options).started() as instance:
        began = time.monotonic()
        with anyio.move_on_after(0.5):
            await instance.restart()

    assert time.monotonic() - began < 8
    assert remains(client, engine) == 0


@pytest.mark.parametrize("after_s", [0.2, 0.6])
async def test_a_start_that_is_cancelled_leaves_nothing(
    client: "DockerClient", image: str, engine: Engine, after_s: float
) -> None:
    with anyio.move_on_after(after_s) as scope:
        async with target(image, engine, behaving("unhealthy")).started():
            pass

    assert scope.cancelled_caught
    assert remains(client, engine) == 0
    assert engine.left_behind == []


async def test_an_internal_network_keeps_the_target_from_leaving(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    connect = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    async with target(image, engine).started() as instance:
        container = client.containers.get(instance.container.id)
        outcome = container.exec_run(["python", "-c", connect])

    assert outcome.exit_code == 1
    assert b"unreachable" in outcome.output or b"timed out" in outcome.output


async def test_a_build_is_made_once_and_removed_at_the_end(
    client: "DockerClient", engine: Engine
) -> None:
    built = BuildTarget(FIXTURE, "Dockerfile", DURABLE, engine.run_id, engine=engine)
    async with built.started() as instance:
        first = await boot_of(instance)
    digest = built.facts().image_digest
    async with built.started() as instance:
        second = await boot_of(instance)
    wanted: Any = {"label": labels.filters(engine.run_id)}
    images = [one["Id"] for one in client.api.images(filters=wanted)]
    await built.aclose()

    assert (first, second) == (1, 1)
    assert images == [digest]
    assert client.api.images(filters=wanted) == []


@pytest.fixture
def neighbour(client: "DockerClient", image: str, engine: Engine) -> Iterator[Any]:
    """A service that somebody else runs, as compose would."""
    network = client.networks.create(f"neighbour-{engine.run_id}")
    name = f"neighbour-{engine.run_id}"
    container = client.containers.run(image, name=name, network=network.name, detach=True)
    yield container
    container.remove(force=True, v=True)
    network.remove()


async def test_a_container_is_attached_to_and_left_as_it_is(
    client: "DockerClient", neighbour: Any, engine: Engine
) -> None:
    attached = ContainerTarget(neighbour.name, ContainerOptions(), engine.run_id, engine=engine)
    async with attached.started() as instance:
        boots = await boot_of(instance)
        with pytest.raises(TargetError, match="not the gate's to restart"):
            await instance.restart()
        with pytest.raises(TargetError, match="not the gate's to restart"):
            await instance.crash()
    await attached.aclose()
    after = client.containers.get(neighbour.id)

    assert (attached.is_shared, instance.can_restart, boots) == (True, False, 1)
    assert after.status == "running"
    assert after.attrs["State"]["StartedAt"] == neighbour_started(client, neighbour)
    assert attached.facts().image_digest == after.image.id


def neighbour_started(client: "DockerClient", neighbour: Any) -> str:
    return str(client.api.inspect_container(neighbour.id)["State"]["StartedAt"])


async def test_a_container_is_restarted_where_that_is_allowed_and_never_removed(
    client: "DockerClient", neighbour: Any, engine: Engine
) -> None:
    attached = ContainerTarget(
        neighbour.name, ContainerOptions(), engine.run_id, allow_restart=True, engine=engine
    )
    async with attached.started() as instance:
        receipt = await instance.restart()
        boots = await boot_of(instance)
    await attached.aclose()

    assert receipt.is_new_process
    assert boots == 2
    assert client.containers.get(neighbour.id).status == "running"
    assert "allow_restart: the gate may restart it" in attached.facts().notes


async def test_an_attached_container_runs_again_after_a_restart_was_cancelled(
    client: "DockerClient", neighbour: Any, engine: Engine
) -> None:
    attached = ContainerTarget(
        neighbour.name, ContainerOptions(), engine.run_id, allow_restart=True, engine=engine
    )
    async with attached.started() as instance:
        with anyio.move_on_after(0.1):
            await instance.restart()

    assert client.containers.get(neighbour.id).status == "running"


async def test_a_container_that_does_not_exist_or_run_is_named(
    client: "DockerClient", neighbour: Any, engine: Engine
) -> None:
    neighbour.kill()
    neighbour.wait()
    for name, told in {f"no-{engine.run_id}": "There is no", neighbour.name: "exited"}.items():
        attached = ContainerTarget(name, ContainerOptions(), engine.run_id, engine=engine)
        with pytest.raises(TargetError, match=told) as caught:
            async with attached.started():
                pass
        assert name in caught.value.message
