"""Images: found, pulled where they are not there, or built from a context."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memtru_ci.containers.calls import Calls
from memtru_ci.containers.connection import connect
from memtru_ci.containers.stream import StreamError, follow
from memtru_ci.domain.legible import legible
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

PULL_S = 300


@dataclass(frozen=True)
class Image:
    """An image on the engine. `digest` is that of its registry, else its own id."""

    id: str
    digest: str


async def image_of(name: str, calls: Calls) -> Image:
    """The image of that name, pulled only where the engine does not have it.

    Raises `EngineError` which names the image where it is nowhere to be had.
    """
    found = await calls.run(f"look for the image {name!r}", partial(find, name=name))
    if found is None:
        await pull(name)
        found = await calls.run(f"look for the image {name!r}", partial(find, name=name))
    if found is None:
        raise EngineError(f"The image {name!r} was pulled, but is not there.")
    return found


async def pull(name: str) -> None:
    """Pull one image. Raises `EngineError`."""

    def read(client: "DockerClient") -> Iterator[dict[str, Any]]:
        from docker.utils import parse_repository_tag

        repository, tag = parse_repository_tag(name)
        answer = client.api.pull(repository, tag=tag or "latest", stream=True, decode=True)
        return cast("Iterator[dict[str, Any]]", answer)

    try:
        calls = Calls(partial(connect, None, PULL_S))
        await follow(f"pull the image {name!r}", read, PULL_S, calls)
    except EngineError as error:
        raise EngineError(
            f"The image {name!r} is not on this engine, and pulling it failed: {error.message}",
            hint="Check its name and tag, log in to its registry, build or load it before, or have "
            "it built with --build-context DIR.",
        ) from error


async def build(
    context: Path, dockerfile: str, tag: str, labels: Mapping[str, str], timeout_s: float
) -> None:
    """Build an image from a context that is packed here and sent over the API.

    `.dockerignore` is honoured. Raises `EngineError` with the last lines of the build's log.
    """

    def read(client: "DockerClient") -> Iterator[dict[str, Any]]:
        answer = client.api.build(
            path=str(context),
            dockerfile=dockerfile,
            tag=tag,
            labels=dict(labels),
            rm=True,
            forcerm=True,
            decode=True,
        )
        return cast("Iterator[dict[str, Any]]", answer)

    what = f"build {dockerfile} in {context}"
    try:
        await follow(what, read, timeout_s, Calls(partial(connect, None, math.ceil(timeout_s))))
    except StreamError as error:
        log = "".join(f"\n  | {legible(line)}" for line in error.lines)
        message = f"Docker could not {what}: {error.message}\nThe end of its log:{log}"
        raise EngineError(message, hint=hint_of(error.message)) from error


def hint_of(failure: str) -> str:
    """What to try where a build failed for a reason that is known."""
    if "BuildKit" in failure:
        return "Build it with `docker build` and name the result as `image:NAME`."
    return ""


def find(client: "DockerClient", name: str) -> Image | None:
    from docker.errors import NotFound

    try:
        found = client.images.get(name)
    except NotFound:
        return None
    digests = found.attrs.get("RepoDigests") or [found.id]
    return Image(id=str(found.id), digest=str(digests[0]))
