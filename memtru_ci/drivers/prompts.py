"""What the model is shown, as a surface of its own (catalogue, rule 19)."""

from collections.abc import Sequence
from typing import Protocol

from pydantic import JsonValue

from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.drivers.kept import Kept
from memtru_ci.ports import Answer, ExchangeLog, Memory


class Shown(Protocol):
    """One request that showed the model something."""

    @property
    def number(self) -> int: ...

    @property
    def path(self) -> str: ...

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
    def last_number(self) -> int:
        """The number of the latest request; 0 before the first."""
        ...

    def since(self, number: int) -> Sequence[Shown]:
        """The requests after this one, in order."""
        ...


class Prompts:
    """What counts of the model's log, by namespace.

    Before a delete everything counts. After it, only requests that began after the delete, and
    after a held write had ended: until then it is the write that shows the model its text.
    """

    def __init__(self, log: PromptLog) -> None:
        self._log = log
        self._from: dict[str, int] = {}
        self._muted: set[str] = set()

    def begin_anew(self, namespace: str) -> None:
        """The marker was deleted, or the held write has ended, just now."""
        self._from[namespace] = self._log.last_number

    def mute(self, namespace: str) -> None:
        """A held write goes on unseen: what the model is shown can not be told apart from it."""
        self._muted.add(namespace)

    def read(self, namespace: str, log: ExchangeLog) -> Answer[Sequence[Memory]]:
        """The texts that count, one memory each."""
        request: JsonValue = {"since": self._from.get(namespace, 0)}
        what = "model stand-in"
        kept = Kept(log, "inspect_surface", what, namespace, request, surface=MODEL_PROMPT)
        entries = () if namespace in self._muted else self._log.since(self._from.get(namespace, 0))
        fresh = [one for one in entries if not one.is_retry]
        shown = [Memory(text, f"request {one.number}") for one in fresh for text in one.prompts]
        results: list[JsonValue] = [{"id": one.id, "content": one.content} for one in shown]
        kept.end({"requests": len(fresh)}, {"results": results})
        return Answer(shown, (kept.step,))
