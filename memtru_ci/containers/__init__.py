"""Containers, networks, volumes and images of a run: the only home of the docker library."""

from memtru_ci.containers.container import Container, State
from memtru_ci.containers.engine import Engine, Reached, clean
from memtru_ci.containers.pipe import Pipe
from memtru_ci.containers.spec import DEFAULT_CAPABILITIES, ContainerSpec

__all__ = [
    "DEFAULT_CAPABILITIES",
    "Container",
    "ContainerSpec",
    "Engine",
    "Pipe",
    "Reached",
    "State",
    "clean",
]
