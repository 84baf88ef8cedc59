"""`build:CONTEXT`: an image built from a folder, and a fresh container of it for every start."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import Lock

from memtru_ci.containers import Engine
from memtru_ci.errors import UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.targets.contained import ContainerInstance, contained
from memtru_ci.targets.ignored import check_ignored, is_file_of
from memtru_ci.targets.options import ContainerOptions, notes_of

BUILD_TIMEOUT_S = 900.0


class BuildTarget:
    """Implements `ports.Target`. It is built by the first start; `aclose` removes the image.

    Raises `UsageError` where context or Dockerfile are not there, or the Dockerfile lies outside.
    """

    is_shared = False

    def __init__(
        self,
        context: Path,
        dockerfile: str,
        options: ContainerOptions,
        run_id: str,
        *,
        build_timeout_s: float = BUILD_TIMEOUT_S,
        engine: Engine | None = None,
    ) -> None:
        check(context, dockerfile)
        self.engine = engine or Engine(run_id)
        self._context = context
        self._dockerfile = dockerfile
        self._options = options
        self._build_timeout_s = build_timeout_s
        self._building = Lock()
        self._image_id: str | None = None

    @property
    def name(self) -> str:
        return f"build:{self._context}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "build", self._image_id, notes_of(self._options))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[ContainerInstance]:
        """Raises `EngineError` where it cannot be built, `TargetError` where it won't come up."""
        image = await self._built()
        async with contained(self.name, self.engine, image, self._options) as instance:
            yield instance

    @property
    def left_behind(self) -> Sequence[str]:
        return self.engine.left_behind

    async def aclose(self) -> None:
        """At the end of the run: remove the image, and what may be left of the run."""
        await self.engine.aclose()

    async def _built(self) -> str:
        async with self._building:
            if self._image_id is None:
                image = await self.engine.build(
                    self._context, self._dockerfile, self._build_timeout_s
                )
                self._image_id = image.id
            return self._image_id


def check(context: Path, dockerfile: str) -> None:
    """Raises `UsageError` for a context that cannot be built from."""
    if not context.is_dir():
        raise UsageError(
            f"The build context {str(context)!r} is no folder.",
            hint="Name a folder that holds a Dockerfile.",
        )
    if not is_file_of(context, dockerfile):
        raise UsageError(
            f"There is no Dockerfile {dockerfile!r} in the build context {str(context)!r}.",
            hint="Name it relative to the context.",
        )
    check_ignored(context)
