"""A container, and how the gate comes to it."""

from dataclasses import dataclass

from memtru_ci.containers.container import Container


@dataclass(frozen=True)
class Reached:
    """A container and the network by which the gate comes to it."""

    container: Container
    network: str
    approach: str
    """What was done so that the gate reaches the network, as words for a message."""
    image_digest: str | None = None
