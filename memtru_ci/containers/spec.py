"""What a container is made of, and the hardening that every one gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEFAULT_CAPABILITIES = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)
"""What Docker grants by default; only these can be given back to a container."""

DOCKER_DEFAULT = "docker-default"
"""What a user writes to give a container back what Docker grants by default, and nothing else."""

SAFE_TMPFS = "rw,noexec,nosuid,nodev"


@dataclass(frozen=True)
class HealthCheck:
    """When a container counts as healthy; what is None is left to the image or to Docker."""

    command: str | None = None
    """For a shell in the container."""
    interval_s: float | None = None
    timeout_s: float | None = None
    retries: int | None = None
    start_period_s: float | None = None

    def arguments(self) -> dict[str, Any]:
        """As the library takes it; times in nanoseconds."""
        times = {
            "interval": self.interval_s,
            "timeout": self.timeout_s,
            "start_period": self.start_period_s,
        }
        found: dict[str, Any] = {
            key: round(value * 1e9) for key, value in times.items() if value is not None
        }
        if self.command is not None:
            found["test"] = ["CMD-SHELL", self.command]
        if self.retries is not None:
            found["retries"] = self.retries
        return found


@dataclass(frozen=True)
class ContainerSpec:
    """One container to be made; all of it is the user's choice, within the hardening."""

    image: str
    env: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] | None = None
    user: str | None = None
    volumes: Mapping[str, str] = field(default_factory=dict)
    tmpfs: Mapping[str, str] = field(default_factory=dict)
    memory: str = "512m"
    cpus: float = 1.0
    pids: int = 256
    read_only: bool = False
    capabilities: Sequence[str] = ()
    health: HealthCheck | None = None
    stdin: bool = False
    """Whether its standard input stays open, for a server that is spoken to there."""


def hardened(spec: ContainerSpec, volumes: Mapping[str, str]) -> dict[str, Any]:
    """The arguments that create the container; `volumes` has real volume names as its keys.

    The default seccomp profile stays on because `security_opt` does not name another.
    """
    from docker.types import LogConfig, Ulimit

    return {
        "image": spec.image,
        "command": list(spec.command) if spec.command is not None else None,
        "environment": dict(spec.env),
        "user": spec.user,
        "stdin_open": spec.stdin,
        "use_config_proxy": False,
        "cap_drop": ["ALL"],
        "cap_add": list(spec.capabilities),
        "healthcheck": spec.health.arguments() if spec.health else None,
        "security_opt": ["no-new-privileges:true"],
        "privileged": False,
        "publish_all_ports": False,
        "ipc_mode": "private",
        "init": True,
        "pids_limit": spec.pids,
        "mem_limit": spec.memory,
        "memswap_limit": spec.memory,
        "nano_cpus": int(spec.cpus * 1_000_000_000),
        "oom_score_adj": 500,
        "ulimits": [Ulimit(name="core", soft=0, hard=0)],
        "read_only": spec.read_only,
        "tmpfs": {path: with_safety(options) for path, options in spec.tmpfs.items()},
        "volumes": {name: {"bind": path, "mode": "rw"} for name, path in volumes.items()},
        "log_config": LogConfig(type="json-file", config={"max-size": "1m", "max-file": "1"}),
        "restart_policy": {"Name": "no"},
    }


def with_safety(options: str) -> str:
    """The options of a tmpfs, no programs or devices on it."""
    return f"{SAFE_TMPFS},{options}" if options else SAFE_TMPFS
