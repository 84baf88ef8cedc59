"""What the gate does for a service that has no hooks: a model, holds, and jobs."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from memtru_ci.services.mcp.mapping import McpService
from memtru_ci.services.rest.mapping import RestService
from memtru_ci.settings.fields import PlainText, Strict, Variable, option

HoldBy = Literal["service", "model", "store", "worker", "wire"]
JobName = Literal["consolidate", "start_session"]


class ContractService(Strict):
    """A service that speaks the HTTP contract."""

    model_config = ConfigDict(title="ContractService")

    kind: Literal["contract"] = Field(description="The HTTP contract of this project.")


Service = Annotated[ContractService | RestService | McpService, Field(discriminator="kind")]


class Model(Strict):
    """The model stand-in; it runs where this is given."""

    model_config = ConfigDict(title="Model")

    env: dict[Variable, PlainText] = option("model.env")
    dimensions: int = option("model.dimensions", ge=1, le=4096)
    port: int | None = option("model.port", ge=1, le=65535)


class Hold(Strict):
    """What holds a write in flight."""

    model_config = ConfigDict(title="Hold")

    by: HoldBy | None = option("hold.by")
    sidecar: str | None = option("hold.sidecar")
    port: int | None = option("hold.port", ge=1, le=65535)


class Job(Strict):
    """A command that is executed in the target's container."""

    model_config = ConfigDict(title="Job")

    command: list[PlainText] = Field(min_length=1, description="The command and its arguments.")
    timeout: float = option("jobs.NAME.timeout", ge=0.1, le=600)
