"""What the engine is asked for: hardening, networks of their own, and nothing left behind."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from memtru_ci.containers import ContainerSpec, Engine, Reached, clean, labels
from memtru_ci.errors import EngineError
from tests.instances import FIXTURE

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]


@pytest.fixture
def run_id() -> str:
    return f"test-{secrets.token_hex(4)}"


@pytest.fixture
def engine(run_id: str) -> Iterator[Engine]:
    engine = Engine(run_id)
    yield engine
    engine.close()


def remains(client: "DockerClient", run_id: str) -> list[str]:
    wanted: Any = {"label": labels.filters(run_id)}
    return [
        *(str(one["Names"]) for one in client.api.containers(all=True, filters=wanted)),
        *(str(one["Name"]) for one in client.api.networks(filters=wanted)),
        *(str(one["Name"]) for one in client.api.volumes(filters=wanted)["Volumes"] or ()),
        *(str(one["Id"]) for one in client.api.images(filters=wanted)),
    ]


@asynccontextmanager
async def enclosed(
    engine: Engine, spec: ContainerSpec, *, egress: bool = False
) -> AsyncIterator[Reached]:
    async with engine.enclosed(egress=egress) as enclosure:
        yield await enclosure.create(spec)


async def inspected(
    client: "DockerClient", engine: Engine, spec: ContainerSpec, *, egress: bool = False
) -> dict[str, Any]:
    async with enclosed(engine, spec, egress=egress) as reached:
        facts = client.api.inspect_container(reached.container.id)
        network = client.api.inspect_network(reached.network)
    return {"container": facts, "network": network}


async def test_a_container_gets_every_limit_and_no_capability(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    spec = ContainerSpec(image, env={"ONLY": "this"}, tmpfs={"/scratch": "size=1m"}, read_only=True)

    facts = (await inspected(client, engine, spec))["container"]

    host = facts["HostConfig"]
    assert host["CapDrop"] == ["ALL"]
    assert not host["CapAdd"]
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert (host["Privileged"], host["PublishAllPorts"]) == (False, False)
    assert not host["PortBindings"]
    assert (host["PidsLimit"], host["NanoCpus"]) == (256, 1_000_000_000)
    assert host["Memory"] == host["MemorySwap"] == 512 * 1024 * 1024
    assert (host["Init"], host["ReadonlyRootfs"]) == (True, True)
    assert host["LogConfig"] == {"Type": "json-file", "Config": {"max-file": "1", "max-size": "1m"}}
    assert host["RestartPolicy"]["Name"] == "no"
    assert host["Tmpfs"] == {"/scratch": "rw,noexec,nosuid,nodev,size=1m"}
    assert (host["PidMode"], host["IpcMode"], host["UsernsMode"]) == ("", "private", "")
    assert not host["Binds"]


async def test_the_default_seccomp_profile_and_the_hardening_hold_inside(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with enclosed(engine, ContainerSpec(image)) as reached:
        await reached.container.start()
        output = client.containers.get(reached.container.id).exec_run("cat /proc/self/status")

    status = dict(line.split(":\t", 1) for line in output.output.decode().splitlines())
    assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
    assert int(status["CapBnd"], 16) == int(status["CapEff"], 16) == 0


async def test_only_the_named_environment_is_added_to_that_of_the_image(
    client: "DockerClient", image: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INPUT_TOKEN", "the gate's own")
    of_image = client.api.inspect_image(image)["Config"]["Env"]

    facts = await inspected(client, engine, ContainerSpec(image, env={"ONLY": "this"}))

    assert sorted(facts["container"]["Config"]["Env"]) == sorted([*of_image, "ONLY=this"])


async def test_the_network_is_internal_unless_egress_is_allowed(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    closed = await inspected(client, engine, ContainerSpec(image))
    opened = await inspected(client, engine, ContainerSpec(image), egress=True)

    assert (closed["network"]["Internal"], opened["network"]["Internal"]) == (True, False)
    assert closed["network"]["Name"] != opened["network"]["Name"]
    assert list(closed["container"]["NetworkSettings"]["Networks"]) == [closed["network"]["Name"]]


async def test_everything_carries_the_labels_of_the_run(
    client: "DockerClient", image: str, run_id: str, engine: Engine
) -> None:
    facts = await inspected(client, engine, ContainerSpec(image, volumes={"data": "/data"}))

    for marks in (facts["container"]["Config"]["Labels"], facts["network"]["Labels"]):
        assert (marks[labels.CI], marks[labels.RUN]) == ("1", run_id)
        assert int(marks[labels.EXPIRES]) > 1_700_000_000


async def test_named_and_anonymous_volumes_go_with_the_container(
    client: "DockerClient", image: str, run_id: str, engine: Engine
) -> None:
    facts = await inspected(client, engine, ContainerSpec(image, volumes={"data": "/data"}))

    mounts = {one["Destination"]: one["Name"] for one in facts["container"]["Mounts"]}
    assert set(mounts) == {"/data", "/anonymous"}
    left = {one["Name"] for one in client.api.volumes()["Volumes"] or ()}
    assert not left & set(mounts.values())
    assert remains(client, run_id) == []


async def test_what_cannot_be_created_is_told_and_leaves_nothing(
    client: "DockerClient", image: str, run_id: str, engine: Engine
) -> None:

    with pytest.raises(EngineError, match="could not create a container"):
        async with enclosed(engine, ContainerSpec(image, memory="1k")):
            pass

    assert remains(client, run_id) == []
    assert engine.left_behind == []


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.1, 0.3])
async def test_a_cancelled_start_leaves_nothing(
    client: "DockerClient", image: str, run_id: str, engine: Engine, after_s: float
) -> None:
    spec = ContainerSpec(image, volumes={"data": "/data"})
    with anyio.move_on_after(after_s):
        async with enclosed(engine, spec) as reached:
            await reached.container.start()
            await anyio.sleep_forever()

    assert remains(client, run_id) == []


@pytest.mark.parametrize("after_s", [0.01, 0.08, 0.3])
async def test_a_start_whose_task_is_cancelled_at_once_leaves_nothing(
    client: "DockerClient", image: str, run_id: str, engine: Engine, after_s: float
) -> None:
    async def start() -> None:
        async with enclosed(engine, ContainerSpec(image)) as reached:
            await reached.container.start()
            await anyio.sleep_forever()

    task = asyncio.create_task(start())
    await anyio.sleep(after_s)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert remains(client, run_id) == []


async def test_two_runs_do_not_touch_each_others_things(
    client: "DockerClient", image: str, run_id: str, engine: Engine
) -> None:
    async with enclosed(engine, ContainerSpec(image)) as mine:
        await mine.container.start()
        other = Engine(f"{run_id}-other")
        async with enclosed(other, ContainerSpec(image)) as theirs:
            await theirs.container.start()
        gone = await theirs.container.state()
        here = await mine.container.state()
        await other.aclose()

        removed = clean(f"{run_id}-other")

        assert gone is None
        assert here is not None
        assert here.running
        assert removed == []


async def test_clean_removes_what_a_run_left_and_names_it(
    client: "DockerClient", image: str, run_id: str
) -> None:
    marks = labels.marks(run_id, 0)
    network = client.networks.create(f"left-{run_id}", internal=True, labels=marks)
    client.volumes.create(f"left-{run_id}", labels=marks)
    container = client.containers.create(image, labels=marks, network=network.name)
    container.start()

    removed = clean(run_id)

    assert removed == [
        f"container {container.name}",
        f"network left-{run_id}",
        f"volume left-{run_id}",
    ]
    assert remains(client, run_id) == []


async def test_the_end_of_a_run_removes_the_image_that_it_built(
    client: "DockerClient", run_id: str, engine: Engine
) -> None:
    await engine.build(FIXTURE, "Dockerfile", 300)
    before = remains(client, run_id)

    await engine.aclose()

    assert len(before) == 1
    assert remains(client, run_id) == []
    assert engine.left_behind == []


async def test_an_image_that_is_nowhere_is_named_with_what_to_try(
    run_id: str, engine: Engine
) -> None:
    name = f"memtru-nowhere-{run_id}:1"

    with pytest.raises(EngineError) as caught:
        await engine.image(name)

    assert name in caught.value.message
    assert "--build-context" in caught.value.hint


async def test_without_an_engine_nothing_is_said_to_be_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, engine: Engine
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")

    with pytest.raises(EngineError, match="no usable Docker Engine"):
        async with enclosed(engine, ContainerSpec("python:3.13-slim")):
            pass

    assert engine.left_behind == []


async def test_a_malformed_image_name_is_one_clear_error(engine: Engine) -> None:
    with pytest.raises(EngineError, match="invalid reference format"):
        await engine.image("NOT A NAME")


async def test_a_build_that_fails_shows_the_end_of_its_log(
    run_id: str, engine: Engine, tmp_path: Any, client: "DockerClient"
) -> None:
    (tmp_path / "Dockerfile").write_text(
        "FROM python:3.13-slim\nRUN echo 'this went well' && exit 9\n"
    )

    with pytest.raises(EngineError) as caught:
        await engine.build(tmp_path, "Dockerfile", 120)

    assert "non-zero code: 9" in caught.value.message
    assert "  | this went well" in caught.value.message
    assert remains(client, run_id) == []


async def test_a_build_ends_with_its_time(
    run_id: str, engine: Engine, tmp_path: Any, client: "DockerClient"
) -> None:
    (tmp_path / "Dockerfile").write_text(f"FROM python:3.13-slim\nRUN sleep 77 # {run_id}\n")
    began = anyio.current_time()

    with pytest.raises(EngineError, match=r"within 3 s"):
        await engine.build(tmp_path, "Dockerfile", 3)

    assert anyio.current_time() - began < 8
    await anyio.sleep(1)
    running = [" ".join(one.attrs["Config"]["Cmd"] or ()) for one in client.containers.list()]
    assert not [command for command in running if run_id in command]


async def test_what_dockerignore_names_is_not_sent(client: "DockerClient", image: str) -> None:
    container = client.containers.create(image, "ls /app")
    try:
        container.start()
        container.wait()
        listed = container.logs().decode().split()
    finally:
        container.remove(force=True, v=True)

    assert (FIXTURE / "secret.txt").exists()
    assert listed == ["Dockerfile", "server.py"]
