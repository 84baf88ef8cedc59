"""The gate reaches its target from wherever it runs itself: the image of the project, for real."""

import json
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from memtru_ci.containers import labels

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = pytest.mark.integration

SOCKET = {"/var/run/docker.sock": {"bind": "/var/run/docker.sock", "mode": "rw"}}
GATE = """
import anyio, json, sys
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.container import ContainerTarget
from memtru_ci.targets.image import ImageTarget

kind, name, run_id = sys.argv[1:]
options = ContainerOptions(ready_timeout_s=20, stop_grace_s=5)
target = {"image": ImageTarget, "container": ContainerTarget}[kind](name, options, run_id)

class Log:
    def next_step(self): return 1
    def now_ms(self): return 0.0
    def keep(self, exchange): pass

async def main():
    async with target.started() as instance:
        before = (await instance.service(Log()).info()).value.version
        if instance.can_restart:
            await instance.restart()
        after = (await instance.service(Log()).info()).value.version
    await target.aclose()
    print(json.dumps([before, after, target.engine.left_behind]))

anyio.run(main)
"""

ASKING = """
import anyio, json, sys
from memtru_ci.targets.attendants import AttendantOptions, HoldOptions, ModelOptions
from memtru_ci.targets.image import ImageTarget
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.sidecars import SidecarOptions

image, run_id = sys.argv[1:]
command = ["sh", "-c", "redis-server --bind 0.0.0.0 --protected-mode no --dir /tmp"]
options = ContainerOptions(
    ready_timeout_s=20,
    sidecars=[SidecarOptions("redis", "redis:8", command=command)],
    attendants=AttendantOptions(
        ModelOptions({"BASE": "{url}/v1"}), HoldOptions("store", "redis", 6379)
    ),
)
ASK = (
    "import os, urllib.request; "
    "print(urllib.request.urlopen(os.environ['BASE'] + '/models').status)"
)
PING = (
    "import socket; to = socket.create_connection(('redis', 6379), 5); "
    "to.sendall(b'PING\\\\r\\\\n'); print(to.recv(99))"
)

async def main():
    async with ImageTarget(image, options, run_id).started() as instance:
        status = await instance.container.execute(["python3", "-c", ASK], 20)
        freeze = instance.attendants.proxy.freeze(b"PING")
        async with anyio.create_task_group() as tasks:
            async def ping():
                global pong
                pong = await instance.container.execute(["python3", "-c", PING], 30)
            tasks.start_soon(ping)
            with anyio.fail_after(20):
                await freeze.met.wait()
            freeze.lift()
    print(json.dumps([status.output.strip(), pong.output.strip()]))

anyio.run(main)
"""


@pytest.fixture
def name() -> str:
    return f"test-{secrets.token_hex(4)}"


def run_gate(
    client: "DockerClient", memtru_image: str, network: str, *arguments: str, program: str = GATE
) -> list[Any]:
    """What the gate printed, run in a container on that network."""
    container = client.containers.run(
        memtru_image,
        ["-c", program, *arguments],
        entrypoint=["/opt/memtru/bin/python"],
        network_mode=network,
        volumes=SOCKET,
        working_dir="/",
        detach=True,
    )
    try:
        outcome = container.wait(timeout=60)
        log = container.logs().decode()
    finally:
        container.remove(force=True, v=True)
    assert outcome["StatusCode"] == 0, log
    return list(json.loads(log.splitlines()[-1]))


@pytest.fixture
def job(client: "DockerClient", image: str, name: str) -> Iterator[Any]:
    """A job's own network, with a job container on it."""
    network = client.networks.create(f"job-{name}")
    container = client.containers.run(
        image, ["sleep", "120"], name=f"job-{name}", network=network.name, init=True, detach=True
    )
    yield container
    container.remove(force=True, v=True)
    network.remove()


@pytest.fixture
def job_on_host(client: "DockerClient", image: str, name: str) -> Iterator[Any]:
    container = client.containers.run(
        image, ["sleep", "120"], name=f"host-{name}", network_mode="host", init=True, detach=True
    )
    yield container
    container.remove(force=True, v=True)


def remains(client: "DockerClient", name: str) -> int:
    wanted: Any = {"label": labels.filters(name)}
    containers = client.api.containers(all=True, filters=wanted)
    return len(containers) + len(client.api.networks(filters=wanted))


@pytest.mark.parametrize("network", ["bridge", "host", "job-{name}", "container:job-{name}"])
def test_an_image_is_reached_and_restarted_from_inside_a_container(
    client: "DockerClient", memtru_image: str, image: str, job: Any, name: str, network: str
) -> None:
    printed = run_gate(client, memtru_image, network.format(name=name), "image", image, name)

    assert printed == ["1", "2", []]
    assert remains(client, name) == 0
    job.reload()
    assert list(job.attrs["NetworkSettings"]["Networks"]) == [f"job-{name}"]


def test_an_image_is_reached_where_the_job_is_on_the_network_of_the_host(
    client: "DockerClient", memtru_image: str, image: str, job_on_host: Any, name: str
) -> None:
    printed = run_gate(client, memtru_image, f"container:{job_on_host.name}", "image", image, name)

    assert printed == ["1", "2", []]
    assert remains(client, name) == 0


@pytest.mark.parametrize("network", ["bridge", "host", "job-{name}"])
def test_a_running_container_is_reached_by_its_network_which_is_left_again(
    client: "DockerClient", memtru_image: str, image: str, job: Any, name: str, network: str
) -> None:
    service = client.containers.run(
        image, name=f"service-{name}", network=f"job-{name}", init=True, detach=True
    )
    try:
        printed = run_gate(
            client, memtru_image, network.format(name=name), "container", service.name, name
        )
        members = client.networks.get(f"job-{name}").attrs["Containers"]
    finally:
        service.remove(force=True, v=True)

    assert printed == ["1", "1", []]
    assert {one["Name"] for one in members.values()} == {job.name, service.name}


@pytest.mark.parametrize("network", ["bridge", "host", "container:job-{name}"])
def test_a_target_reaches_what_the_gate_runs_in_a_container(
    client: "DockerClient", memtru_image: str, image: str, job: Any, name: str, network: str
) -> None:
    where = network.format(name=name)
    printed = run_gate(client, memtru_image, where, image, name, program=ASKING)

    assert printed == ["200", "b'+PONG\\r\\n'"]
    assert remains(client, name) == 0
