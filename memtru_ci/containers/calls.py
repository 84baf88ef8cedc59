"""Calls to the engine: in worker threads, within a time limit, with clear errors."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

from memtru_ci.containers.connection import WAY_OUT, connect, reason_of
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

T = TypeVar("T")


class Calls:
    """One connection to the engine, opened by the first call."""

    def __init__(self, connect: Callable[[], "DockerClient"] = connect) -> None:
        self._connect = connect
        self._client: DockerClient | None = None
        self._opening = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether a call was made."""
        return self._client is not None

    async def run(
        self, what: str, call: Callable[["DockerClient"], T], *, abandon: bool = False
    ) -> T:
        """Make a call, and wait for its end even where the caller is cancelled.

        That wait keeps a cancelled start from leaving things that nobody knows of. With
        `abandon` the caller goes on at once: only for calls that make nothing.
        Raises `EngineError` which says what could not be done.
        """
        return await to_thread.run_sync(self.run_here, what, call, abandon_on_cancel=abandon)

    def run_here(self, what: str, call: Callable[["DockerClient"], T]) -> T:
        """Make a call in this thread."""
        from docker.credentials.errors import StoreError
        from docker.errors import DockerException
        from requests.exceptions import ConnectionError as Unreachable
        from requests.exceptions import RequestException

        client = self._opened()
        try:
            return call(client)
        except Unreachable as error:
            message = f"The Docker Engine stopped answering: could not {what}: {reason_of(error)}."
            raise EngineError(message, hint=WAY_OUT) from error
        except (DockerException, RequestException, StoreError, OSError, ValueError) as error:
            raise EngineError(f"Docker could not {what}: {reason_of(error)}.") from error

    def close(self) -> None:
        with self._opening:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _opened(self) -> "DockerClient":
        with self._opening:
            if self._client is None:
                self._client = self._connect()
            return self._client
