"""What a user may set for a sidecar: a container beside the target, on the same network."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtru_ci.containers import DEFAULT_CAPABILITIES, DOCKER_DEFAULT, ContainerSpec, HealthCheck

DEFAULT_MEMORY = "512m"
NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class SidecarOptions:
    """One sidecar. The name is how the target reaches it."""

    name: str
    image: str | None = None
    """Without one it runs the target's own image: a worker, for example."""
    env: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] | None = None
    health: HealthCheck | None = None
    """When it is ready; without one, the image's own check counts, if it has any."""
    volumes: Mapping[str, str] = field(default_factory=dict)
    """Names of volumes of its own, removed with it, and where they go."""
    memory: str = DEFAULT_MEMORY
    capabilities: Sequence[str] = ()
    """Those of Docker's default set that it gets back."""

    def spec(self, image_id: str, model_env: Mapping[str, str]) -> ContainerSpec:
        """The container to be made; the image is named by its id.

        One that runs the target's image is part of the service: it is led to the model too.
        """
        return ContainerSpec(
            image=image_id,
            env=self.env if self.image else {**model_env, **self.env},
            command=self.command,
            volumes=self.volumes,
            memory=self.memory,
            capabilities=self.capabilities,
            health=self.health,
        )

    def faults(self) -> list[str]:
        """What is wrong, each naming the key and what is allowed."""
        unknown = sorted(set(self.capabilities) - DEFAULT_CAPABILITIES)
        checks = {
            "must have a name of lower-case letters, digits, `-` and `_`": not NAME.fullmatch(
                self.name
            ),
            "must not be called localhost": self.name == "localhost",
            f"capabilities must be of {', '.join(sorted(DEFAULT_CAPABILITIES))}, "
            f"not {', '.join(unknown)}": bool(unknown),
        }
        return [f"services.{self.name} {what}" for what, is_wrong in checks.items() if is_wrong]

    def notes(self) -> list[str]:
        """What it is, and what of its isolation was loosened, for the report."""
        notes = [f"sidecar {self.name}: image {self.image or 'of the target'}"]
        if self.capabilities:
            notes.append(f"sidecar {self.name}: {told_capabilities(self.capabilities)}")
        if self.memory != DEFAULT_MEMORY:
            notes.append(
                f"sidecar {self.name}: memory limit {self.memory} instead of {DEFAULT_MEMORY}"
            )
        return notes


def told_capabilities(capabilities: Sequence[str]) -> str:
    """Which capabilities a container got back, in words."""
    if set(capabilities) == DEFAULT_CAPABILITIES:
        return f"capabilities: {DOCKER_DEFAULT}, which is what Docker gives every container"
    return f"capabilities given back: {', '.join(capabilities)}"
