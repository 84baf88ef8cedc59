"""What the doctor found: each operation, whether it works, and what came where it does not."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_json

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.folding import condensed
from memtru_ci.domain.legible import legible
from memtru_ci.errors import EXIT_INCONCLUSIVE, EXIT_INFRASTRUCTURE, EXIT_OPEN
from memtru_ci.scenarios import PROMISES

SHOWN = 600
"""Characters of a request or an answer."""

LONGEST_VECTOR = 8
"""Numbers of a list that are shown; of a longer one only how many they are."""


class State(StrEnum):
    """How an operation is."""

    WORKS = "works"
    FAILS = "fails"
    ABSENT = "absent"
    """The service does not offer it; it is nothing wrong by itself."""
    UNTRIED = "untried"
    """What it builds on failed, or it is not for the doctor to try."""


@dataclass(frozen=True)
class Trouble:
    """The request that failed, and what came."""

    request: str
    answer: str
    problem: str


@dataclass(frozen=True)
class Check:
    """One operation."""

    operation: str
    state: State
    came: str = ""
    capability: Capability | None = None
    trouble: Trouble | None = None
    missing_for: tuple[str, ...] = ()
    """Scenarios that cannot be performed without it."""


@dataclass(frozen=True)
class Diagnosis:
    """All checks of one target."""

    target: str
    service: str
    checks: tuple[Check, ...]
    left_behind: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def failing(self) -> tuple[Check, ...]:
        """What is offered and does not work."""
        return tuple(one for one in self.checks if one.state is State.FAILS)

    @property
    def exit_code(self) -> int:
        """0 where all that is offered works; 4 where nothing could be tried, else 3."""
        if not self.failing:
            return EXIT_OPEN
        works = any(one.state is State.WORKS for one in self.checks)
        return EXIT_INCONCLUSIVE if works else EXIT_INFRASTRUCTURE

    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self) | {"exit_code": self.exit_code}


def trouble_of(exchange: Exchange | None, problem: str) -> Trouble:
    """A failure, with the exchange that it came by."""
    if exchange is None:
        return Trouble("none was sent", "none", problem)
    request = f"{exchange.method} {exchange.path} {_json(exchange.request)}".strip()
    status = "no status" if exchange.status is None else str(exchange.status)
    answer = f"{status} {_json(exchange.answer)}".strip()
    return Trouble(legible(request, SHOWN), legible(answer, SHOWN), problem)


def with_needs(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks, each with the scenarios that miss it."""
    there = {one.capability for one in checks if one.state is State.WORKS}
    return tuple(_with_needs(one, there) for one in checks)


def _with_needs(check: Check, there: Iterable[Capability | None]) -> Check:
    if check.state is State.WORKS or check.capability is None:
        return check
    has = set(there)
    ids = [
        promise.id
        for promise in PROMISES.values()
        if any(check.capability in needed and not needed & has for needed in promise.needs)
    ]
    return Check(**{**vars(check), "missing_for": tuple(condensed(ids))})


def _json(value: JsonValue) -> str:
    return "" if value is None else to_json(_told(value)).decode("utf-8", "replace")


def _told(value: JsonValue) -> JsonValue:
    """The value, with vectors told by their length."""
    if isinstance(value, dict):
        return {name: _told(one) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > LONGEST_VECTOR and all(isinstance(one, (int, float)) for one in value):
        return f"({len(value)} numbers)"
    return [_told(one) for one in value]
