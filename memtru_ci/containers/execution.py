"""A command in a container that runs: its end, its bounded output, and its deadline."""

import math
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio import get_cancelled_exc_class, move_on_after

from memtru_ci.containers.calls import Calls
from memtru_ci.containers.connection import connect
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

MOST_OUTPUT = 64 * 1024
FRAME_HEAD = 8
PIECE_BYTES = 16 * 1024
CONNECT_S = 10.0


@dataclass(frozen=True)
class Executed:
    """A command that ended. `output` is what it wrote to both of its streams, as it came."""

    exit_code: int
    output: str
    is_cut: bool = False
    """Whether it wrote more than is kept: the first 64 KiB are."""


class Execution:
    """One command; `run` is for a worker thread, and `cut` ends it from another one."""

    def __init__(self, container_id: str, command: Sequence[str], user: str | None) -> None:
        self._container_id = container_id
        self._command = command
        self._user = user
        self._response: Any = None
        self._is_cut = threading.Event()

    def run(self, client: "DockerClient", timeout_s: float) -> Executed:
        """Run it to its end, over a connection that is closed with it."""
        with closing(client):
            identity = client.api.exec_create(
                self._container_id, list(self._command), user=self._user or ""
            )["Id"]
            output, is_cut = self._output(client, identity, timeout_s)
            facts = client.api.exec_inspect(identity)
        if facts.get("ExitCode") is None:
            raise EngineError(f"The connection to the command {self._command!r} was lost.")
        text = output.decode("utf-8", errors="replace")
        return Executed(int(facts["ExitCode"]), text, is_cut)

    def cut(self) -> None:
        """Stop listening: the engine has no way to end a command but with its container."""
        from docker.types import CancellableStream

        self._is_cut.set()
        if self._response is not None:
            with suppress(Exception):
                CancellableStream(iter(()), self._response).close()

    def _output(
        self, client: "DockerClient", identity: str, timeout_s: float
    ) -> tuple[bytes, bool]:
        """The library's own reading may lose what comes along with the head of the answer."""
        api = client.api
        url = f"{api.base_url}/v{api.api_version}/exec/{identity}/start"
        with api.post(
            url,
            json={"Detach": False, "Tty": False},
            stream=True,
            timeout=(CONNECT_S, timeout_s),
        ) as response:
            response.raise_for_status()
            self._response = response
            if self._is_cut.is_set():
                return b"", False
            return bounded(response.raw)


def bounded(stream: Any) -> tuple[bytes, bool]:
    """What comes in the frames of a stream, the first of it, and whether there was more."""
    kept, length = bytearray(), 0
    while len(head := stream.read(FRAME_HEAD)) == FRAME_HEAD:
        left = int.from_bytes(head[4:], "big")
        while left and (piece := stream.read(min(left, PIECE_BYTES))):
            left -= len(piece)
            length += len(piece)
            kept += piece[: MOST_OUTPUT - len(kept)]
    return bytes(kept), length > len(kept)


async def execute(
    container_id: str, name: str, command: Sequence[str], deadline_s: float, user: str | None
) -> Executed:
    """Run a command in a container. Raises `EngineError`, also where it takes too long."""
    what = f"run {list(command)!r} in the container {name}"
    execution = Execution(container_id, command, user)
    calls = Calls(partial(connect, None, math.ceil(deadline_s) + 5))
    try:
        with move_on_after(deadline_s):
            call = partial(execution.run, timeout_s=deadline_s + 5)
            return await calls.run(what, call, abandon=True)
    except get_cancelled_exc_class():
        execution.cut()
        raise
    execution.cut()
    raise EngineError(
        f"The command {list(command)!r} did not end within {deadline_s:g} s in the container "
        f"{name}; it was left running there.",
        hint="Give it more time, or make it quicker.",
    )
