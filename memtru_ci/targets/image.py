"""`image:NAME[:TAG]`: a fresh container of an image for every start."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from memtru_ci.containers import Engine
from memtru_ci.ports import TargetFacts
from memtru_ci.targets.contained import ContainerInstance, contained
from memtru_ci.targets.options import ContainerOptions, notes_of


class ImageTarget:
    """Implements `ports.Target`."""

    is_shared = False

    def __init__(
        self, image: str, options: ContainerOptions, run_id: str, engine: Engine | None = None
    ) -> None:
        self.engine = engine or Engine(run_id)
        self._image = image
        self._options = options
        self._digest: str | None = None

    @property
    def name(self) -> str:
        return f"image:{self._image}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "image", self._digest, notes_of(self._options))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[ContainerInstance]:
        """Raises `EngineError` where the image is nowhere, `TargetError` where it won't come up."""
        image = await self.engine.image(self._image)
        self._digest = image.digest
        async with contained(self.name, self.engine, image.id, self._options) as instance:
            yield instance

    @property
    def left_behind(self) -> Sequence[str]:
        return self.engine.left_behind

    async def aclose(self) -> None:
        """At the end of the run: remove what may be left of it."""
        await self.engine.aclose()
