"""The Docker Engine as the targets use it; everything it makes for a run carries its labels."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from anyio import CancelScope, move_on_after

from memtru_ci.containers import attachment, images, labels
from memtru_ci.containers.calls import Calls
from memtru_ci.containers.connection import connect
from memtru_ci.containers.container import Container
from memtru_ci.containers.enclosing import Enclosing
from memtru_ci.containers.enclosure import Enclosure
from memtru_ci.containers.images import Image
from memtru_ci.containers.reached import Reached
from memtru_ci.containers.sweep import sweep
from memtru_ci.errors import EngineError

LIFETIME_S = 6 * 3600
"""How long after its making a thing may be taken for one that is still in use."""
REMOVAL_S = 5.0
"""How long the removal of one instance may keep the gate waiting; it goes on behind."""


class Engine:
    """One run's use of the engine. `left_behind` names what could not be removed."""

    def __init__(self, run_id: str, calls: Calls | None = None) -> None:
        self.run_id = run_id
        self.left_behind: list[str] = []
        self._calls = calls or Calls()

    async def image(self, name: str) -> Image:
        """The image, pulled where it is not there. Raises `EngineError`."""
        return await images.image_of(name, self._calls)

    async def build(self, context: Path, dockerfile: str, timeout_s: float) -> Image:
        """An image of the run's own. Raises `EngineError` with the end of the build's log."""
        await self._calls.run("answer", lambda client: client.ping())
        tag = f"memtru-{secrets.token_hex(6)}:built"
        marks = labels.marks(self.run_id, self._expires())
        await images.build(context, dockerfile, tag, marks, timeout_s)
        return await self.image(tag)

    @asynccontextmanager
    async def enclosed(self, *, egress: bool = False) -> AsyncIterator[Enclosure]:
        """A network of its own, for containers; all of it is removed at the end.

        With `egress` it leads outside. Raises `EngineError`.
        """
        enclosing = Enclosing(self.run_id, self._expires())
        try:
            call = partial(enclosing.open, egress=egress)
            joined = await self._calls.run("create a network", call)
            yield Enclosure(enclosing, joined, self._calls)
        finally:
            with CancelScope(shield=True):
                await self._remove(enclosing)

    @asynccontextmanager
    async def attached(self, name: str) -> AsyncIterator[Reached]:
        """A container that somebody else runs; it is left as it is.

        Raises `TargetError` where none of that name runs, and `EngineError`.
        """
        visit = attachment.Visit(name)
        try:
            found = await self._calls.run(f"attach to the container {name!r}", visit.arrive)
            container = Container(found.container_id, found.name, self._calls)
            yield Reached(container, found.network, found.approach, found.image_id)
        finally:
            with CancelScope(shield=True), move_on_after(REMOVAL_S):
                await self._leave(visit)

    async def addresses(self, reached: Reached) -> list[str]:
        """Where the container is now, the likeliest first."""
        return await self._calls.run(
            f"find the address of {reached.container.name}",
            partial(
                attachment.addresses,
                identity=reached.container.id,
                preferred=reached.network,
            ),
        )

    async def aclose(self) -> None:
        """Remove whatever of this run is still there, built images included.

        Afterwards `left_behind` names exactly what could not be removed.
        """
        if not self._calls.is_open:
            return
        with CancelScope(shield=True), move_on_after(2 * REMOVAL_S):
            try:
                swept = await self._calls.run(
                    "remove what the run made",
                    partial(sweep, labels=labels.filters(self.run_id), images=True),
                    abandon=True,
                )
                self.left_behind = swept.left
            except EngineError as error:
                self.left_behind.append(f"what carries {labels.RUN}={self.run_id} ({error})")
        self.close()

    def close(self) -> None:
        """Close the connection, and remove nothing."""
        self._calls.close()

    async def _remove(self, enclosing: Enclosing) -> None:
        if not enclosing.give_up():
            return
        try:
            with move_on_after(REMOVAL_S):
                what = f"remove {enclosing.name}"
                swept = await self._calls.run(what, enclosing.remove, abandon=True)
                self.left_behind += swept.left
                return
            reason = f"not removed within {REMOVAL_S:g} s"
        except EngineError as error:
            reason = error.message
        self.left_behind.append(f"what belongs to {enclosing.name} ({reason})")

    async def _leave(self, visit: attachment.Visit) -> None:
        if not visit.is_begun:
            return
        try:
            what = f"leave the network of {visit.name}"
            await self._calls.run(what, visit.leave, abandon=True)
        except EngineError as error:
            self.left_behind.append(error.message)

    def _expires(self) -> int:
        return int(time.time()) + LIFETIME_S


def clean(run_id: str | None = None) -> list[str]:
    """Remove what runs left on the engine, or one run only; returns kind and name of each.

    Raises `EngineError` where there is no usable engine, or where something cannot be removed.
    """
    calls = Calls(connect)
    call = partial(sweep, labels=labels.filters(run_id), images=True)
    try:
        swept = calls.run_here("remove leftovers", call)
    finally:
        calls.close()
    if swept.left:
        raise EngineError(
            f"Not everything could be removed: {', '.join(swept.left)}.",
            hint="`docker rm -f`, `docker network rm` and `docker volume rm` say why.",
        )
    return swept.removed
