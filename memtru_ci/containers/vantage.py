"""Where the gate itself stands: on the engine's machine, or in one of its containers."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docker import DockerClient

MOUNTINFO = Path("/proc/self/mountinfo")
NAME_FILES = frozenset({"/etc/hostname", "/etc/hosts", "/etc/resolv.conf"})
CONTAINER_ID = re.compile(r"/([0-9a-f]{64})/")


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
