"""The clock of real runs."""

import time

import anyio


class MonotonicClock:
    """Monotonic seconds, and sleep that can be cancelled."""

    def now(self) -> float:
        """Seconds since some moment before the run."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; not at all where `seconds` is not positive."""
        await anyio.sleep(max(0.0, seconds))
