"""A case of the temporal policy: events, questions, and the ids that the rules make of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

_NAMED = ("id", "target", "session")


@dataclass(frozen=True)
class Question:
    """One query and the ids that answer it; `is_ranked` where their order counts."""

    body: Mapping[str, JsonValue]
    """As the contract has it, but for the session's prefix."""
    expected: tuple[str, ...]
    is_ranked: bool = False

    def sent_in(self, namespace: str) -> dict[str, JsonValue]:
        """The message, with a session of the trial's own."""
        return _renamed(self.body, namespace)

    def is_answered_by(self, ids: Iterable[str], namespace: str) -> bool:
        """Whether these are the expected ids, each once, and no others."""
        wanted = [_own(one, namespace) for one in self.expected]
        given = list(ids)
        return given == wanted if self.is_ranked else sorted(given) == sorted(wanted)


@dataclass(frozen=True)
class PolicyCase:
    """A case; its ids, targets and sessions get the trial's namespace as a prefix."""

    name: str
    rules: tuple[str, ...]
    """The numbers of the rules of the policy that it tests."""
    events: tuple[JsonValue, ...]
    questions: tuple[Question, ...]
    is_one_call: bool = False
    """Whether the events arrive in one call: where one of them is rejected, the rest is kept."""

    def calls_in(self, namespace: str) -> list[list[JsonValue]]:
        """The events in their order of arrival, call by call, as a trial sends them."""
        events = [_renamed(one, namespace) if isinstance(one, dict) else one for one in self.events]
        return [events] if self.is_one_call and events else [[one] for one in events]


def plain_id(name: str, namespace: str) -> str:
    """An id as the case has it."""
    return name.removeprefix(_own("", namespace))


def _renamed(message: Mapping[str, JsonValue], namespace: str) -> dict[str, JsonValue]:
    return {
        key: _own(value, namespace) if key in _NAMED and isinstance(value, str) and value else value
        for key, value in message.items()
    }


def _own(name: str, namespace: str) -> str:
    return f"{namespace}.{name}"
