"""The engine's long answers (pull, build), read to an end that time or the caller may set."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import get_cancelled_exc_class, move_on_after

from memtru_ci.containers.calls import Calls
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

Read = Callable[["DockerClient"], Iterator[dict[str, Any]]]
T = TypeVar("T")

LONGEST_LINE = 300
MOST_LINES = 50


class Stream:
    """A request whose answer comes in pieces; `cut` ends it from another thread."""

    def __init__(self) -> None:
        self._response: Any = None
        self._cut = threading.Event()

    def follow(self, client: "DockerClient", read: Read) -> list[str]:
        """The last lines of the answer. Raises `EngineError` with them where it tells a failure."""
        lines: list[str] = []
        client.api.hooks["response"].append(self._keep)
        with closing(client), closing(self):
            for piece in read(client):
                if self._cut.is_set():
                    break
                lines = [*lines, *lines_of(piece)][-MOST_LINES:]
                if failure := piece.get("error"):
                    raise StreamError(str(failure)[: 2 * LONGEST_LINE], lines)
        return lines

    def cut(self) -> None:
        """End the request: the engine gives up a pull or build whose caller is gone."""
        from docker.types import CancellableStream

        self._cut.set()
        if self._response is not None:
            with suppress(Exception):
                CancellableStream(iter(()), self._response).close()

    def close(self) -> None:
        """Let go of the connection; for the thread that reads."""
        if self._response is not None:
            self._response.close()

    def _keep(self, response: Any, *args: Any, **kwargs: Any) -> None:
        self._response = response
        if self._cut.is_set():
            self.cut()


class StreamError(EngineError):
    """The engine told a failure in the middle of its answer; `lines` are the last before it."""

    def __init__(self, message: str, lines: list[str]) -> None:
        super().__init__(message)
        self.lines = lines


async def follow(what: str, read: Read, timeout_s: float, calls: Calls) -> list[str]:
    """Read a long answer over a connection of its own, which is cut after `timeout_s` seconds.

    It is cut, too, where the caller is cancelled. Raises `EngineError`.
    """
    stream = Stream()
    try:
        with move_on_after(timeout_s):
            return await calls.run(what, lambda client: stream.follow(client, read), abandon=True)
    except get_cancelled_exc_class():
        stream.cut()
        raise
    stream.cut()
    raise EngineError(f"Docker could not {what} within {timeout_s:g} s.")


def lines_of(piece: dict[str, Any]) -> list[str]:
    """The lines of one piece of a build's or a pull's answer, bounded."""
    text = str(piece.get("stream") or piece.get("status") or "")
    return [line[:LONGEST_LINE].rstrip() for line in text.splitlines() if line.strip()]
