"""A process of the gate's own: its group, its last output, its end."""

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from anyio import move_on_after, sleep, to_thread

from memtru_ci.errors import TargetError

TAIL_BYTES = 32_768
LONGEST_LINE = 300
LOOK_S = 0.02
KILL_S = 5.0
DRAIN_S = 0.5
"""How long the last output of a dead process may take; a grandchild can hold the pipe open."""


class Child:
    """A running process. Raises `TargetError` where the program cannot be started."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.started_at = datetime.now(UTC).isoformat()
        try:
            self._process = subprocess.Popen(
                list(argv),
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise TargetError(f"The program {argv[0]!r} cannot be started: {error}.") from error
        self._tail = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """As a shell gives it: 128 and the signal's number, where a signal ended it."""
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    async def end(self, grace_s: float) -> bool:
        """SIGTERM, then SIGKILL to the whole group; whether the process outlived its grace."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        outlived = not await self._gone(grace_s)
        await self.kill()
        return outlived

    async def kill(self) -> None:
        """SIGKILL to the whole group. Raises `TargetError` where even that does not end it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if not await self._gone(KILL_S):
            raise TargetError(f"The process {self.pid} did not end within {KILL_S:g} s of SIGKILL.")
        await to_thread.run_sync(self._drain)

    async def log_tail(self, lines: int) -> list[str]:
        """The last lines of its output, each bounded."""
        if self.exit_code is not None:
            await to_thread.run_sync(self._reader.join, DRAIN_S)
        text = self._tail.decode("utf-8", errors="replace")
        return [line[:LONGEST_LINE].rstrip() for line in text.splitlines()][-lines:]

    async def _gone(self, within_s: float) -> bool:
        with move_on_after(within_s):
            while True:
                if self.exit_code is not None:
                    return True
                await sleep(LOOK_S)
        return self.exit_code is not None

    def _read(self) -> None:
        stream = self._process.stdout
        while stream is not None and (piece := os.read(stream.fileno(), TAIL_BYTES)):
            self._tail = (self._tail + piece)[-TAIL_BYTES:]

    def _drain(self) -> None:
        self._reader.join(DRAIN_S)
        if not self._reader.is_alive() and self._process.stdout is not None:
            self._process.stdout.close()
