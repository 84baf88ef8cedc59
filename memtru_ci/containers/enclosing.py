"""One instance's own network, volumes and containers: made together, gone together."""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtru_ci.containers import labels
from memtru_ci.containers.spec import ContainerSpec, hardened
from memtru_ci.containers.sweep import Swept, sweep
from memtru_ci.containers.vantage import Joined, joined
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient


@dataclass(frozen=True)
class Made:
    """A container that was made."""

    container_id: str
    name: str


class Enclosing:
    """Makes and removes one instance's things; all of it is for worker threads.

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

    def open(self, client: "DockerClient", egress: bool) -> Joined:
        """Create the network and come to it."""
        self._is_begun = True
        with self._lock:
            self._refuse_when_over()
            network = client.networks.create(
                self.name, driver="bridge", internal=not egress, labels=self._marks
            )
            return joined(client, network)

    def create(
        self,
        client: "DockerClient",
        spec: ContainerSpec,
        alias: str = "",
        extra_hosts: Mapping[str, str] | None = None,
    ) -> Made:
        """Create volumes and a container on the network, not started yet.

        Others on the network reach it by its `alias`; without one it is the target.
        """
        with self._lock:
            self._refuse_when_over()
            name = f"{self.name}-{alias}" if alias else self.name
            ends = client.api.create_endpoint_config(aliases=[alias] if alias else None)
            volumes = {
                self._volume(client, f"{name}.{volume}"): path
                for volume, path in spec.volumes.items()
            }
            container = client.containers.create(
                **hardened(spec, volumes),
                name=name,
                network=self.name,
                networking_config={self.name: ends},
                extra_hosts=dict(extra_hosts or {}),
                labels=self._marks,
            )
            return Made(str(container.id), name)

    def give_up(self) -> bool:
        """Let nothing more be made; whether there may be something to remove."""
        self._is_over = True
        return self._is_begun

    def remove(self, client: "DockerClient") -> Swept:
        """Remove all of it, once what is being made is there."""
        with self._lock:
            return sweep(client, labels.filters(self._run_id, self.instance))

    def _refuse_when_over(self) -> None:
        if self._is_over:
            raise EngineError(f"The start of {self.name} was given up.")

    def _volume(self, client: "DockerClient", name: str) -> str:
        return str(client.volumes.create(name, labels=self._marks).name)
