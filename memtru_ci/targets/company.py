"""All that is beside an instance in a container: sidecars, and what the gate itself runs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from memtru_ci.containers import Enclosure, Engine
from memtru_ci.errors import EngineError
from memtru_ci.targets.attendants import NONE, Attendants, HoldOptions, Upstream, attending
from memtru_ci.targets.options import ContainerOptions
from memtru_ci.targets.sidecar import Sidecar


@dataclass(frozen=True)
class Company:
    """What is beside one instance."""

    sidecars: Mapping[str, Sidecar] = field(default_factory=dict)
    attendants: Attendants = NONE

    async def obituaries(self) -> list[str]:
        """A sentence for each sidecar that is dead. Raises `EngineError`."""
        told = [await one.obituary() for one in self.sidecars.values()]
        return [one for one in told if one]

    async def conditions(self) -> list[str]:
        """State and last log lines of each sidecar. Raises `EngineError`."""
        return [await one.condition() for one in self.sidecars.values()]


@asynccontextmanager
async def company(
    engine: Engine, options: ContainerOptions, own_image: str
) -> AsyncIterator[tuple[Enclosure, Company]]:
    """A network of the instance's own, the gate's attendants, then the sidecars, each healthy.

    Images are pulled first; a sidecar without one runs `own_image`, the target's. Raises
    `EngineError` and `TargetError`; all is removed at the end.
    """
    images = [
        (await engine.image(one.image)).id if one.image else own_image for one in options.sidecars
    ]
    sidecars: dict[str, Sidecar] = {}
    async with engine.enclosed(egress=options.egress == "bridge") as enclosure:
        upstream = store_of(sidecars, enclosure.network, options.attendants.hold)
        async with attending(options.attendants, enclosure.gate_address, upstream) as attendants:
            await bring_up(enclosure, options, images, sidecars, attendants.env)
            yield enclosure, Company(sidecars, attendants)


async def bring_up(
    enclosure: Enclosure,
    options: ContainerOptions,
    images: Sequence[str],
    sidecars: dict[str, Sidecar],
    model_env: Mapping[str, str],
) -> None:
    """Start the sidecars one after the other, and keep them by name."""
    for one, image in zip(options.sidecars, images, strict=True):
        sidecar = Sidecar(one, await enclosure.add(one.name, one.spec(image, model_env)))
        sidecars[one.name] = sidecar
        await sidecar.start(options.ready_timeout_s)


def store_of(sidecars: Mapping[str, Sidecar], network: str, hold: HoldOptions) -> Upstream:
    """Where the store is at the moment it is asked for; `OSError` where it is nowhere."""

    async def upstream() -> tuple[str, int]:
        if hold.sidecar not in sidecars:
            raise OSError(f"the sidecar {hold.sidecar} is not there yet")
        try:
            return await sidecars[hold.sidecar].container.address_on(network), hold.port
        except EngineError as error:
            raise OSError(str(error)) from error

    return upstream
