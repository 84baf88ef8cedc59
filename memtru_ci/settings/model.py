"""The options of a run as a strict model: nothing is coerced, nothing unknown is taken."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, JsonValue, model_validator

from memtru_ci.settings import checks
from memtru_ci.settings.contradictions import refuse_contradictions
from memtru_ci.settings.driving import Hold, Job, JobName, Model, Service
from memtru_ci.settings.fields import (
    Capabilities,
    InnerPath,
    Memory,
    OwnVariable,
    PlainText,
    Strict,
    Variable,
    VolumeName,
    Words,
    capabilities,
    option,
)
from memtru_ci.settings.sidecar import Sidecar, SidecarName
from memtru_ci.settings.target import TargetName, parse_target

FailOn = Literal["low", "medium", "high", "critical", "never"]
Egress = Literal["none", "bridge"]
State = Literal["durable", "ephemeral"]


class Build(Strict):
    """What the target's image is built from."""

    model_config = ConfigDict(title="Build")

    context: Annotated[str, AfterValidator(checks.path)] = option("build.context")
    dockerfile: Annotated[str, AfterValidator(checks.path_inside)] = option("build.dockerfile")


class Settings(Strict):
    """The settings of a run; `memtru.yml` has these keys."""

    model_config = ConfigDict(title="memtru.yml")

    target: Annotated[str, AfterValidator(checks.target)] | None = option("target")
    build: Build | None = option("build")
    port: int = option("port", ge=1, le=65535)
    env: dict[Variable, PlainText] = option("env")
    secrets: list[OwnVariable] = option("secrets")
    health_path: str = option("health_path", pattern=r"^/([!-.0-~][!-~]{0,510})?$")
    ready_timeout: float = option("ready_timeout", ge=0.1, le=3600)
    stop_grace: float = option("stop_grace", ge=0, le=300)
    egress: Egress = option("egress")
    volumes: dict[VolumeName, InnerPath] = option("volumes")
    tmpfs: dict[InnerPath, Annotated[str, AfterValidator(checks.tmpfs_options)]] = option("tmpfs")
    user: str | None = option("user", pattern=r"^\w[\w.-]{0,63}(:\w[\w.-]{0,63})?$")
    command: list[PlainText] | None = option("command")
    memory: Memory = option("memory")
    cpus: float = option("cpus", ge=0.05, le=64)
    pids: int = option("pids", ge=1, le=32768)
    read_only: bool = option("read_only")
    capabilities: Capabilities = capabilities("capabilities")
    services: dict[SidecarName, Sidecar] = option("services", max_length=10)
    service: Service | None = option("service")
    model: Model | None = option("model")
    hold: Hold | None = option("hold")
    update_never_creates: bool = option("update_never_creates")
    jobs: dict[JobName, Job] = option("jobs")
    options: dict[str, JsonValue] = option("options")
    allow_restart: bool = option("allow_restart")
    state: State = option("state")
    token_env: OwnVariable | None = option("token_env")
    scenarios: Words = option("scenarios", min_length=1)
    require: Words = option("require")
    window: float = option("window", ge=0.5, le=300)
    timeout: float = option("timeout", ge=1, le=86400)
    fail_on: FailOn = option("fail_on")
    fail_on_inconclusive: bool = option("fail_on_inconclusive")
    output_dir: Annotated[str, AfterValidator(checks.path)] = option("output_dir")
    sarif_category: str = option("sarif_category", pattern=r"^[A-Za-z0-9._-][A-Za-z0-9./_-]{0,63}$")
    anchor: Annotated[str, AfterValidator(checks.anchor)] | None = option("anchor")
    seed: int | None = option("seed", ge=0, le=2**53 - 1)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        refuse_contradictions(self)
        return self

    @property
    def has_target(self) -> bool:
        """Whether anything was named to be tested."""
        return self.target is not None or self.build is not None

    @property
    def target_name(self) -> TargetName:
        """The target taken apart; only where there is one."""
        return parse_target(self.target or "build")

    @property
    def kind(self) -> str:
        """The target's kind; empty where nothing was named to be tested."""
        return self.target_name.kind if self.has_target else ""

    @property
    def is_mapped(self) -> bool:
        """Whether the service is spoken to in an API of its own, not by the contract."""
        return self.service is not None and self.service.kind != "contract"

    @property
    def window_ms(self) -> int:
        """The window in whole milliseconds."""
        return round(self.window * 1000)
