"""One instance's own network, volumes and container: made together, gone together."""

import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtru_ci.containers import labels
from memtru_ci.containers.connection import reason_of
from memtru_ci.containers.spec import ContainerSpec, hardened
from memtru_ci.containers.sweep import Swept, sweep
from memtru_ci.containers.vantage import network_owner
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient


@dataclass(frozen=True)
class Made:
    """What was made, and how the gate comes to it."""

    container_id: str
    name: str
    network: str
    approach: str
    """What was done so that the gate reaches the network, as words for a message."""


class Enclosure:
    """Makes and removes one instance's things; both are for worker threads.

    The lock and the flags keep a start that was cancelled half-way from making anything after its
    removal.
    """

    def __init__(self, run_id: str, expires: int) -> None:
        self.instance = secrets.token_hex(6)
        self.name = f"memtru-{self.instance}"
        self._run_id = run_id
        self._marks = labels.marks(run_id, expires, self.instance)
        self._lock = threading.Lock()
        self._is_begun = False
        self._is_over = False

    def make(self, client: "DockerClient", spec: ContainerSpec) -> Made:
        """Create network, volumes and the container, not started yet; come to the network."""
        self._is_begun = True
        with self._lock:
            if self._is_over:
                raise EngineError(f"The start of {self.name} was given up.")
            network = client.networks.create(
                self.name, driver="bridge", internal=not spec.egress, labels=self._marks
            )
            volumes = {self._volume(client, name): path for name, path in spec.volumes.items()}
            container = client.containers.create(
                **hardened(spec, volumes), name=self.name, network=self.name, labels=self._marks
            )
            return Made(str(container.id), self.name, self.name, join(client, network))

    def give_up(self) -> bool:
        """Let nothing more be made; whether there may be something to remove."""
        self._is_over = True
        return self._is_begun

    def remove(self, client: "DockerClient") -> Swept:
        """Remove all of it, once what is being made is there."""
        with self._lock:
            return sweep(client, labels.filters(self._run_id, self.instance))

    def _volume(self, client: "DockerClient", name: str) -> str:
        return str(client.volumes.create(f"{self.name}-{name}", labels=self._marks).name)


def join(client: "DockerClient", network: Any) -> str:
    """Bring the gate to the network where it is itself in a container; says what was done."""
    from docker.errors import APIError

    owner = network_owner(client)
    if owner is None:
        return "the address of the container, from the network of this machine"
    try:
        network.connect(owner.id)
    except APIError as error:
        return f"joining the gate's container {owner.name} to its network: {reason_of(error)}"
    return f"the address of the container, from {owner.name}, which has joined its network"
