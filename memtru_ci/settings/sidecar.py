"""A container beside the target, in the form that GitHub workflows give to service containers."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict
from pydantic import StringConstraints as Text

from memtru_ci.settings import checks
from memtru_ci.settings.fields import (
    Capabilities,
    Memory,
    OwnVariable,
    PlainText,
    Strict,
    Variable,
    capabilities,
    option,
)
from memtru_ci.settings.health import Health, read_health

SidecarName = Annotated[
    str,
    Text(pattern=r"^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$"),
    AfterValidator(checks.host_name),
]


class Sidecar(Strict):
    """One sidecar."""

    model_config = ConfigDict(title="Sidecar")

    image: Annotated[str, Text(pattern=r"^[a-z0-9][A-Za-z0-9._:/@-]{0,254}$")] | None = option(
        "services.NAME.image"
    )
    env: dict[Variable, PlainText] = option("services.NAME.env")
    secrets: list[OwnVariable] = option("services.NAME.secrets")
    command: list[PlainText] | None = option("services.NAME.command")
    options: Annotated[str, AfterValidator(checks.health_options)] = option("services.NAME.options")
    volumes: list[Annotated[str, AfterValidator(checks.volume)]] = option("services.NAME.volumes")
    memory: Memory = option("services.NAME.memory")
    capabilities: Capabilities = capabilities("services.NAME.capabilities")

    @property
    def health(self) -> Health | None:
        """The health check of its options."""
        return read_health(self.options)

    @property
    def mounts(self) -> dict[str, str]:
        """Its volumes: name, and path in the container."""
        return dict(checks.split_volume(one) for one in self.volumes)
