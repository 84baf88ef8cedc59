"""Containers, networks, volumes and images of a run: the only home of the docker library."""

from memtru_ci.containers.container import Container, State
from memtru_ci.containers.enclosure import Enclosure
from memtru_ci.containers.engine import Engine, clean
from memtru_ci.containers.execution import Executed
from memtru_ci.containers.pipe import Pipe
from memtru_ci.containers.reached import Reached
from memtru_ci.containers.spec import (
    DEFAULT_CAPABILITIES,
    DOCKER_DEFAULT,
    ContainerSpec,
    HealthCheck,
)

__all__ = [
    "DEFAULT_CAPABILITIES",
    "DOCKER_DEFAULT",
    "Container",
    "ContainerSpec",
    "Enclosure",
    "Engine",
    "Executed",
    "HealthCheck",
    "Pipe",
    "Reached",
    "State",
    "clean",
]
