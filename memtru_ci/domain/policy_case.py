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
        """Whether these are the expected ids, all of them and no others."""
        given = tuple(dict.fromkeys(ids))
        wanted = tuple(_own(one, namespace) for one in self.expected)
        return given == wanted if self.is_ranked else set(given) == set(wanted)


@dataclass(frozen=True)
class PolicyCase:
    """A case; its ids, targets and sessions get the trial's namespace as a prefix."""

    name: str
    rule: str
    """The number of the rule of the policy that it tests."""
    events: tuple[JsonValue, ...]
    questions: tuple[Question, ...]

    def events_in(self, namespace: str) -> list[JsonValue]:
        """The events in their order of arrival, as a trial sends them."""
        return [_renamed(one, namespace) if isinstance(one, dict) else one for one in self.events]


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
