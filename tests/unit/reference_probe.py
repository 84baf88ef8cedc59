"""A reference service with a clock of its own, and short words for what a test does to it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtru_ci.adapters import ChatMessage, Context, HookReceipt
from memtru_ci.reference.service import ReferenceService

ANN = Context("ann")
THREAD = Context("ann", "t1")


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class Probe:
    """The service under test and what its surfaces show."""

    def __init__(self, data_dir: Path, **options: Any) -> None:
        self.clock = Clock()
        self._data_dir = data_dir
        self._options = options
        self.service = self._opened()

    def _opened(self) -> ReferenceService:
        clock = self.clock
        return ReferenceService(self._data_dir, clock=clock, sleep=clock.sleep, **self._options)

    def start_again(self) -> None:
        """A new process over the same file."""
        self.service.close()
        self.service = self._opened()

    def write(self, content: str, ctx: Context = ANN) -> str:
        return self.service.write(ctx, content, None)

    def say(self, content: str, ctx: Context = THREAD) -> HookReceipt:
        return self.service.record_conversation(ctx, [ChatMessage(role="user", content=content)])

    def searched(self, query: str = "fact", ctx: Context = ANN) -> list[str]:
        return sorted(one.content for one in self.service.search(ctx, query, 100))

    def listed(self, ctx: Context = ANN) -> list[str]:
        return sorted(one.content for one in self.service.list(ctx, 100, None).results)

    def profile(self, ctx: Context = ANN) -> str:
        return " ".join(one.content for one in self.service.inspect_surface(ctx, "profile", "fact"))

    def shows(self, content: str, ctx: Context = ANN) -> bool:
        """Whether any surface shows it."""
        return content in [*self.searched(ctx=ctx), *self.listed(ctx)] or content in self.profile(
            ctx
        )

    def id_of(self, content: str) -> str:
        """The id of a memory that search finds."""
        return next(
            one.id for one in self.service.search(ANN, "fact", 100) if one.content == content
        )


@contextmanager
def probing(data_dir: Path, **options: Any) -> Iterator[Probe]:
    """A probe whose service is closed at the end."""
    probe = Probe(data_dir, **options)
    try:
        yield probe
    finally:
        probe.service.close()
