"""Removing what carries the labels: containers, networks, volumes and built images."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docker import DockerClient

ATTEMPTS = 10
PAUSE_S = 0.2


@dataclass
class Swept:
    """What was removed, and what could not be, by kind and name."""

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def sweep(client: "DockerClient", labels: Sequence[str], *, images: bool = False) -> Swept:
    """Remove everything that carries all of the labels: killed, not stopped.

    A network goes after what is attached to it, the gate's own container included.
    """
    swept = Swept()
    for name, remove in things(client, labels, images):
        if persist(remove):
            swept.removed.append(name)
        else:
            swept.left.append(name)
    return swept


def things(
    client: "DockerClient", labels: Sequence[str], images: bool
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Name and removal of each thing, in the order in which they can go."""
    wanted: Any = {"label": list(labels)}
    for one in client.api.containers(all=True, filters=wanted):
        name = (one.get("Names") or ["/" + one["Id"][:12]])[0].lstrip("/")
        yield (
            f"container {name}",
            container_removal(client, one["Id"], one.get("State") == "paused"),
        )
    for one in client.api.networks(filters=wanted):
        yield f"network {one['Name']}", network_removal(client, one["Id"])
    for one in client.api.volumes(filters=wanted)["Volumes"] or ():
        yield f"volume {one['Name']}", volume_removal(client, one["Name"])
    for one in client.api.images(filters=wanted) if images else ():
        name = (one.get("RepoTags") or [one["Id"][:19]])[0]
        yield f"image {name}", image_removal(client, one["Id"])


def container_removal(client: "DockerClient", identity: str, is_paused: bool) -> Callable[[], Any]:
    def remove() -> None:
        from docker.errors import APIError

        if is_paused:  # not every engine can kill what is frozen
            with suppress(APIError):
                client.api.unpause(identity)
        client.api.remove_container(identity, v=True, force=True)

    return remove


def network_removal(client: "DockerClient", identity: str) -> Callable[[], Any]:
    def remove() -> None:
        from docker.errors import NotFound

        for attached in client.api.inspect_network(identity).get("Containers") or ():
            with suppress(NotFound):
                client.api.disconnect_container_from_network(attached, identity, force=True)
        client.api.remove_network(identity)

    return remove


def volume_removal(client: "DockerClient", name: str) -> Callable[[], Any]:
    return lambda: client.api.remove_volume(name, force=True)


def image_removal(client: "DockerClient", identity: str) -> Callable[[], Any]:
    return lambda: client.api.remove_image(identity, force=True)


def persist(remove: Callable[[], Any]) -> bool:
    """Whether it is gone; the engine refuses for a moment what it is still detaching."""
    from docker.errors import APIError, NotFound

    for attempt in range(ATTEMPTS):
        try:
            remove()
        except NotFound:
            return True
        except APIError:
            time.sleep(PAUSE_S if attempt < ATTEMPTS - 1 else 0)
        else:
            return True
    return False
