"""What a user may set for a container, and which of it loosens the isolation."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memtru_ci.containers import DEFAULT_CAPABILITIES, ContainerSpec
from memtru_ci.errors import UsageError
from memtru_ci.services.dialect import CONTRACT, Dialect, StdioDialect
from memtru_ci.targets.attendants import NOBODY, AttendantOptions
from memtru_ci.targets.sidecars import SidecarOptions, told_capabilities

SIZE = re.compile(r"[1-9][0-9]*[bkmg]?", re.IGNORECASE)
VOLUME_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,100}")
DEFAULT_MEMORY, DEFAULT_CPUS, DEFAULT_PIDS = "512m", 1.0, 256


@dataclass(frozen=True)
class JobOptions:
    """A command that is executed in the target's container."""

    command: Sequence[str]
    timeout_s: float = 60.0


@dataclass(frozen=True)
class ContainerOptions:
    """All that can be set for a target in a container; times in seconds.

    Raises `UsageError` for a value that Docker would refuse or that isolation forbids.
    """

    port: int = 8080
    env: Mapping[str, str] = field(default_factory=dict)
    health_path: str = "/health"
    ready_timeout_s: float = 60.0
    stop_grace_s: float = 10.0
    egress: Literal["none", "bridge"] = "none"
    volumes: Mapping[str, str] = field(default_factory=dict)
    """Names of volumes, made for the instance and removed with it, and where they go."""
    tmpfs: Mapping[str, str] = field(default_factory=dict)
    """Paths in memory, and their options, for example `size=64m`."""
    user: str | None = None
    command: Sequence[str] | None = None
    memory: str = DEFAULT_MEMORY
    cpus: float = DEFAULT_CPUS
    pids: int = DEFAULT_PIDS
    read_only: bool = False
    capabilities: Sequence[str] = ()
    """Those of Docker's default set that it gets back."""
    token: str | None = None
    dialect: Dialect = CONTRACT
    """How the service is spoken to."""
    sidecars: Sequence[SidecarOptions] = ()
    """Started before the target, in this order."""
    attendants: AttendantOptions = NOBODY
    """What the gate itself runs beside the target."""
    jobs: Mapping[str, JobOptions] = field(default_factory=dict)
    """By what they stand for: `consolidate`, `start_session`."""
    log_lines: int = 50
    """How many of its last log lines a message shows when it dies."""

    def __post_init__(self) -> None:
        for wrong in faults(self):
            raise UsageError(f"The target's option {wrong}.")


def faults(options: ContainerOptions) -> list[str]:
    """What is wrong with the options, each naming the option and what is allowed."""
    unknown = sorted(set(options.capabilities) - DEFAULT_CAPABILITIES)
    paths = [*options.volumes.values(), *options.tmpfs]
    checks = {
        "port must be from 1 to 65535": not 1 <= options.port <= 65535,
        "health_path must begin with /": not options.health_path.startswith("/"),
        "ready_timeout must be over 0 seconds": options.ready_timeout_s <= 0,
        "stop_grace must not be negative": options.stop_grace_s < 0,
        "egress must be none or bridge": options.egress not in ("none", "bridge"),
        "memory must be a size such as 512m": not SIZE.fullmatch(options.memory),
        "cpus must be over 0": options.cpus <= 0,
        "pids must be 1 or more": options.pids < 1,
        "log_lines must be from 1 to 500": not 1 <= options.log_lines <= 500,
        "volumes must name each volume in letters, digits, `.`, `_` and `-`": not all(
            VOLUME_NAME.fullmatch(name) for name in options.volumes
        ),
        "volumes and tmpfs must name absolute paths": not all(
            path.startswith("/") and path != "/" for path in paths
        ),
        f"capabilities must be of {', '.join(sorted(DEFAULT_CAPABILITIES))}, "
        f"not {', '.join(unknown)}": bool(unknown),
    }
    wrong = [what for what, is_wrong in checks.items() if is_wrong]
    return [*wrong, *(fault for one in options.sidecars for fault in one.faults())]


def spec_of(
    image: str, options: ContainerOptions, more_env: Mapping[str, str] | None = None
) -> ContainerSpec:
    """The container to be made from an image; `more_env` is what its instance adds."""
    return ContainerSpec(
        image=image,
        env={**options.env, **(more_env or {})},
        command=options.command,
        user=options.user,
        volumes=options.volumes,
        tmpfs=options.tmpfs,
        memory=options.memory,
        cpus=options.cpus,
        pids=options.pids,
        read_only=options.read_only,
        capabilities=options.capabilities,
        stdin=isinstance(options.dialect, StdioDialect),
    )


def notes_of(options: ContainerOptions) -> tuple[str, ...]:
    """What of the isolation was loosened, for the report."""
    loosened = {
        "egress: bridge, so the service can reach other networks": options.egress == "bridge",
        told_capabilities(options.capabilities): bool(options.capabilities),
        f"memory limit {options.memory} instead of {DEFAULT_MEMORY}": (
            options.memory != DEFAULT_MEMORY
        ),
        f"CPU limit {options.cpus:g} instead of {DEFAULT_CPUS:g}": options.cpus != DEFAULT_CPUS,
        f"process limit {options.pids} instead of {DEFAULT_PIDS}": options.pids != DEFAULT_PIDS,
    }
    notes = [note for note, applies in loosened.items() if applies]
    return (*notes, *(note for one in options.sidecars for note in one.notes()))
