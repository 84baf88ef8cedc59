"""Where the gate itself stands: on the engine's machine, or in one of its containers."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtru_ci.containers.connection import reason_of

if TYPE_CHECKING:
    from docker import DockerClient

MOUNTINFO = Path("/proc/self/mountinfo")
NAME_FILES = frozenset({"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"})
CONTAINER_ID = re.compile(r"/([0-9a-f]{64})/")


@dataclass(frozen=True)
class Joined:
    """A network that the gate has come to."""

    approach: str
    """What was done so that the gate reaches the network, as words for a message."""
    gate_address: str
    """Where containers on it reach the gate; empty where that is not to be had."""


def joined(client: "DockerClient", network: Any) -> Joined:
    """Bring the gate to a network where it is itself in a container."""
    from docker.errors import APIError

    owner = network_owner(client)
    if owner is None:
        approach = "the address of the container, from the network of this machine"
        return Joined(approach, gateway_of(client.api.inspect_network(network.id)))
    try:
        network.connect(owner.id)
    except APIError as error:
        reason = reason_of(error)
        return Joined(f"joining the gate's container {owner.name} to its network: {reason}", "")
    approach = f"the address of the container, from {owner.name}, which has joined its network"
    return Joined(approach, member_of(client.api.inspect_network(network.id), str(owner.id)))


def gateway_of(facts: Any) -> str:
    """The machine's own IPv4 address on a bridge network; empty where there is none."""
    pools = (facts.get("IPAM") or {}).get("Config") or ()
    gateways = [str(pool.get("Gateway") or "").split("/")[0] for pool in pools]
    return next((one for one in gateways if one and ":" not in one), "")


def member_of(facts: Any, container_id: str) -> str:
    """A container's IPv4 address on a network; empty where it is not on it."""
    member = (facts.get("Containers") or {}).get(container_id) or {}
    return str(member.get("IPv4Address") or "").split("/")[0]


def own_ids(mountinfo: str) -> list[str]:
    """Ids of the containers whose name files this process sees, the own one or the one it shares.

    Only those three mounts count: the machine's own list shows the mounts of every container.
    A container that shares another's network also has that one's files, which is the one that
    must join.
    """
    found: dict[str, None] = {}
    for line in mountinfo.splitlines():
        fields = line.split()
        if len(fields) > 4 and fields[4] in NAME_FILES and (hit := CONTAINER_ID.search(fields[3])):
            found[hit[1]] = None
    return list(found)


def network_owner(client: "DockerClient", mountinfo: str | None = None) -> Any | None:
    """The container whose network this process uses; None for a process of the machine itself.

    None, too, in a container that the engine does not know, and on the machine's network: from
    there the addresses of containers are reached as they are.
    """
    from docker.errors import NotFound

    text = read_mountinfo() if mountinfo is None else mountinfo
    for own in own_ids(text):
        try:
            return owner_of_network(client, client.containers.get(own))
        except NotFound:
            continue
    return None


def owner_of_network(client: "DockerClient", container: Any) -> Any | None:
    """The container itself, or the one whose network it shares; None on the machine's network."""
    for _ in range(5):
        mode = str(container.attrs["HostConfig"]["NetworkMode"])
        if mode == "host":
            return None
        if not mode.startswith("container:"):
            return container
        container = client.containers.get(mode.removeprefix("container:"))
    return container


def read_mountinfo() -> str:
    try:
        return MOUNTINFO.read_text(errors="replace")
    except OSError:
        return ""
