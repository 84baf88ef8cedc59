"""Sidecars for tests on a real engine, and ways to look at them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memtru_ci.containers import DEFAULT_CAPABILITIES, Engine, HealthCheck, labels
from memtru_ci.targets.contained import ContainerInstance
from memtru_ci.targets.image import ImageTarget
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.sidecars import SidecarOptions

if TYPE_CHECKING:
    from docker import DockerClient

ALL_OF_DOCKERS = tuple(sorted(DEFAULT_CAPABILITIES))
DROP_ROOT = [
    *("sh", "-c"),
    "chown 999:999 /data && exec setpriv --reuid 999 --regid 999 --clear-groups "
    "redis-server --bind 0.0.0.0 --protected-mode no --dir /data",
]
"""What the entrypoints of database images do: own the data, then be somebody else."""
PING = HealthCheck("redis-cli ping", interval_s=0.2, timeout_s=2, retries=50)
REDIS = SidecarOptions(
    "redis", "redis:8", command=DROP_ROOT, health=PING, volumes={"data": "/data"}, capabilities=()
)
ALLOWED = replace(REDIS, capabilities=ALL_OF_DOCKERS)
IDLE = SidecarOptions("idle", "redis:8", command=["sleep", "600"])
TALK = """
import socket, sys
try:
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), 3) as to:
        to.sendall(sys.argv[3].encode().decode("unicode_escape").encode("latin-1"))
        print(to.recv(1000).decode("latin-1"))
except OSError as error:
    sys.exit(f"no way: {error}")
"""


def target(image: str, engine: Engine, *sidecars: SidecarOptions, **more: Any) -> ImageTarget:
    options = ContainerOptions(sidecars=sidecars, ready_timeout_s=30, stop_grace_s=5)
    return ImageTarget(image, replace(options, **more), engine.run_id, engine)


def remains(client: "DockerClient", run_id: str) -> list[str]:
    wanted: Any = {"label": labels.filters(run_id)}
    return [
        *(str(one["Names"]) for one in client.api.containers(all=True, filters=wanted)),
        *(str(one["Name"]) for one in client.api.networks(filters=wanted)),
        *(str(one["Name"]) for one in client.api.volumes(filters=wanted)["Volumes"] or ()),
    ]


async def said(instance: ContainerInstance, host: str, port: int, text: str) -> str:
    """What somebody answers to the target."""
    command = ["python3", "-c", TALK, host, str(port), text]
    executed = await instance.container.execute(command, 15)
    assert executed.exit_code == 0, executed.output
    return executed.output.strip()


def sidecar_of(instance: ContainerInstance, name: str = "redis") -> Any:
    return instance.beside.sidecars[name].container


def inspected(client: "DockerClient", container: Any) -> Any:
    return client.api.inspect_container(container.id)
