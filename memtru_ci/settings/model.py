"""The options of a run as a strict model: nothing is coerced, nothing unknown is taken."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)
from pydantic import StringConstraints as Text

from memtru_ci.settings import checks
from memtru_ci.settings.options import DEFAULT_CAPABILITIES, OPTIONS
from memtru_ci.settings.target import TargetName, parse_target

FailOn = Literal["low", "medium", "high", "critical", "never"]
Egress = Literal["none", "bridge"]
State = Literal["durable", "ephemeral"]

Variable = Annotated[str, Text(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,254}$")]
OwnVariable = Annotated[Variable, AfterValidator(checks.handed_over)]
VolumeName = Annotated[str, Text(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]
InnerPath = Annotated[str, AfterValidator(checks.path_in_container)]
Words = Annotated[list[str], BeforeValidator(checks.words, json_schema_input_type=str | list[str])]


def _option(key: str, **limits: Any) -> Any:
    """The field of an option; its default and meaning come from the table of options."""
    option = OPTIONS[key]
    default = option.default
    if isinstance(default, (list, dict)):
        limits["default_factory"] = default.copy
    else:
        limits["default"] = default
    return Field(description=option.meaning, **limits)


class _Strict(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, title="memtru.yml"
    )


class Build(_Strict):
    """What the target's image is built from."""

    model_config = ConfigDict(title="Build")

    context: Annotated[str, AfterValidator(checks.path)] = _option("build.context")
    dockerfile: Annotated[str, AfterValidator(checks.path_inside)] = _option("build.dockerfile")


class Settings(_Strict):
    """The settings of a run; `memtru.yml` has these keys."""

    target: Annotated[str, AfterValidator(checks.target)] | None = _option("target")
    build: Build | None = _option("build")
    port: int = _option("port", ge=1, le=65535)
    env: dict[Variable, Annotated[str, AfterValidator(checks.no_nul)]] = _option("env")
    secrets: list[OwnVariable] = _option("secrets")
    health_path: str = _option("health_path", pattern=r"^/([!-.0-~][!-~]{0,510})?$")
    ready_timeout: float = _option("ready_timeout", ge=0.1, le=3600)
    stop_grace: float = _option("stop_grace", ge=0, le=300)
    egress: Egress = _option("egress")
    volumes: dict[VolumeName, InnerPath] = _option("volumes")
    tmpfs: dict[InnerPath, Annotated[str, AfterValidator(checks.tmpfs_options)]] = _option("tmpfs")
    user: str | None = _option("user", pattern=r"^\w[\w.-]{0,63}(:\w[\w.-]{0,63})?$")
    command: list[Annotated[str, AfterValidator(checks.no_nul)]] | None = _option("command")
    memory: Annotated[str, AfterValidator(checks.memory)] = _option("memory")
    cpus: float = _option("cpus", ge=0.05, le=64)
    pids: int = _option("pids", ge=1, le=32768)
    read_only: bool = _option("read_only")
    capabilities: list[
        Annotated[
            str,
            AfterValidator(checks.capability),
            Field(json_schema_extra={"enum": list(DEFAULT_CAPABILITIES)}),
        ]
    ] = _option("capabilities")
    options: dict[str, JsonValue] = _option("options")
    allow_restart: bool = _option("allow_restart")
    state: State = _option("state")
    token_env: OwnVariable | None = _option("token_env")
    scenarios: Words = _option("scenarios", min_length=1)
    require: Words = _option("require")
    window: float = _option("window", ge=0.5, le=300)
    timeout: float = _option("timeout", ge=1, le=86400)
    fail_on: FailOn = _option("fail_on")
    fail_on_inconclusive: bool = _option("fail_on_inconclusive")
    output_dir: Annotated[str, AfterValidator(checks.path)] = _option("output_dir")
    sarif_category: str = _option(
        "sarif_category", pattern=r"^[A-Za-z0-9._-][A-Za-z0-9./_-]{0,63}$"
    )
    anchor: Annotated[str, AfterValidator(checks.anchor)] | None = _option("anchor")
    seed: int | None = _option("seed", ge=0, le=2**53 - 1)

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if self.build and self.target and self.target_name.kind != "build":
            raise ValueError("`target` and `build` name two targets; keep one of them")
        twice = sorted(set(self.env) & set(self.secrets))
        if twice:
            raise ValueError(f"`{twice[0]}` is both in `env` and in `secrets`; keep one of them")
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
    def window_ms(self) -> int:
        """The window in whole milliseconds."""
        return round(self.window * 1000)
