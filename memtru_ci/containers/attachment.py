"""Coming to a container that somebody else runs, and leaving its network again."""

import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtru_ci.containers.connection import reason_of
from memtru_ci.containers.vantage import network_owner, owner_of_network
from memtru_ci.errors import TargetError

if TYPE_CHECKING:
    from docker import DockerClient

MACHINE = "127.0.0.1"
NOT_JOINABLE = frozenset({"host", "none"})


@dataclass(frozen=True)
class Attachment:
    """A running container of somebody else's, and how the gate comes to it."""

    container_id: str
    name: str
    image_id: str
    network: str
    approach: str


class Visit:
    """Comes to a container's network and leaves it again; both are for worker threads.

    What was joined is kept here, so that it is left even where the arrival was cancelled.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_begun = False
        self._joined: tuple[str, str] | None = None
        self._lock = threading.Lock()

    def arrive(self, client: "DockerClient") -> Attachment:
        """Raises `TargetError` where the container does not exist or does not run."""
        self.is_begun = True
        with self._lock:
            container = running(client, self.name)
            owner, own = owner_of_network(client, container), network_owner(client)
            network, approach = "", f"its address on the network of {self.name}"
            if own is not None and owner is not None:
                network, approach = self._approach(client, own, owner)
            image = str(container.attrs["Image"])
            return Attachment(str(container.id), str(container.name), image, network, approach)

    def leave(self, client: "DockerClient") -> None:
        """Leave the network again where it was joined only for this."""
        from docker.errors import NotFound

        with self._lock, suppress(NotFound):
            if self._joined is not None:
                own, network = self._joined
                client.networks.get(network).disconnect(own, force=True)

    def _approach(self, client: "DockerClient", own: Any, owner: Any) -> tuple[str, str]:
        """A network that both are on; the gate's container joins one where there is none yet."""
        from docker.errors import APIError

        theirs = [name for name in networks_of(owner) if name not in NOT_JOINABLE]
        if shared := [name for name in theirs if name in networks_of(own)]:
            return shared[0], f"its address on {shared[0]}, where {own.name} is too"
        for name in theirs:
            try:
                client.networks.get(name).connect(own.id)
            except APIError as error:
                return name, f"joining {own.name} to the network {name}: {reason_of(error)}"
            self._joined = (str(own.id), name)
            return name, f"its address on {name}, which {own.name} has joined"
        return "", f"{owner.name} is on no network that {own.name} could join"


def running(client: "DockerClient", name: str) -> Any:
    """Raises `TargetError` where no container of that name runs."""
    from docker.errors import NotFound

    try:
        container = client.containers.get(name)
    except NotFound as error:
        raise TargetError(
            f"There is no container {name!r} on this engine.",
            hint="`docker ps` shows the names of those that run; start yours first.",
        ) from error
    if container.status != "running":
        raise TargetError(
            f"The container {name!r} does not run: it is {container.status}.",
            hint="Start it first: it is attached to, never started.",
        )
    return container


def addresses(client: "DockerClient", identity: str, preferred: str) -> list[str]:
    """Where the container is now, the preferred network's address first; none where it is gone."""
    from docker.errors import NotFound

    try:
        owner = owner_of_network(client, client.containers.get(identity))
    except NotFound:
        return []
    if owner is None:
        return [MACHINE]
    networks = owner.attrs["NetworkSettings"].get("Networks") or {}
    ordered = sorted(networks, key=lambda name: name != preferred)
    return [str(address) for name in ordered if (address := networks[name].get("IPAddress"))]


def networks_of(container: Any) -> list[str]:
    return list(container.attrs["NetworkSettings"].get("Networks") or {})
