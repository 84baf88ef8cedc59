"""What the model is shown, as a surface of its own (catalogue, rule 19)."""

from collections.abc import Callable, Sequence
from typing import Protocol

from pydantic import JsonValue

from memtru_ci.domain.holding import MODEL_STAND_IN
from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.domain.timeline import Outcome
from memtru_ci.drivers.kept import Kept
from memtru_ci.errors import NoAnswer
from memtru_ci.ports import Answer, ExchangeLog, Memory

TOO_MANY = "the model was asked more often than is kept"


class Shown(Protocol):
    """One request that showed the model something."""

    @property
    def number(self) -> int: ...

    @property
    def started_at(self) -> float:
        """When it began, in seconds on the stand-in's clock."""
        ...

    @property
    def prompts(self) -> Sequence[str]:
        """The texts that the model was shown."""
        ...

    @property
    def is_retry(self) -> bool:
        """Whether the same request came before."""
        ...


class PromptLog(Protocol):
    """The requests that the model stand-in was sent."""

    @property
    def count(self) -> int:
        """Requests so far; also the number of the last one."""
        ...

    def is_whole_since(self, number: int) -> bool:
        """Whether none of the requests after this one was dropped."""
        ...

    def since(self, number: int) -> Sequence[Shown]:
        """The requests after the one of this number, in order."""
        ...


class Prompts:
    """What counts of the model's log, by namespace.

    Before a delete everything counts. After it, only requests that began after the delete, and
    after a held write had ended: until then it is the write that shows the model its text. `now` is
    the clock of the log, in seconds.
    """

    def __init__(self, log: PromptLog, now: Callable[[], float]) -> None:
        self._log = log
        self._now = now
        self._from: dict[str, float] = {}
        self._number: dict[str, int] = {}
        self._muted: set[str] = set()

    def begin_anew(self, namespace: str) -> None:
        """The marker was deleted, or the held write has ended, just now."""
        self._from[namespace] = self._now()
        self._number[namespace] = self._log.count

    def mute(self, namespace: str) -> None:
        """A held write goes on unseen: what the model is shown can not be told apart from it."""
        self._muted.add(namespace)

    def read(self, namespace: str, log: ExchangeLog) -> Answer[Sequence[Memory]]:
        """The texts that count, one memory each.

        Raises `NoAnswer` where the log was too long to be kept: its silence would prove nothing.
        """
        is_after_delete = namespace in self._from
        request: JsonValue = {"after_delete": is_after_delete}
        kept = Kept(
            log, "inspect_surface", MODEL_STAND_IN, namespace, request, surface=MODEL_PROMPT
        )
        if not self._log.is_whole_since(self._number.get(namespace, 0)):
            kept.end(None, None, Outcome.NO_ANSWER, TOO_MANY)
            raise NoAnswer("what the model is shown", TOO_MANY, (kept.step,))
        fresh = [one for one in self._log.since(0) if self._counts(one, namespace)]
        shown = [Memory(text, f"request {one.number}") for one in fresh for text in one.prompts]
        results: list[JsonValue] = [{"id": one.id, "content": one.content} for one in shown]
        kept.end({"requests": len(fresh)}, {"results": results})
        return Answer(shown, (kept.step,))

    def _counts(self, request: Shown, namespace: str) -> bool:
        if namespace not in self._from:
            return True
        is_late = request.started_at > self._from[namespace]
        return is_late and not request.is_retry and namespace not in self._muted
