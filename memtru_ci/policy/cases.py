"""The cases: events and queries with exact expected answers, at least one for each rule."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtru_ci.policy.answer import Answer, Exclusion
from memtru_ci.policy.query import Query
from memtru_ci.policy.query import parse as parse_query

FILE = Path(__file__).with_name("cases.json")


@dataclass(frozen=True, slots=True)
class Question:
    """A query with the ids that it has to give: a set, or best first where it has a text.

    `exclusions` None leaves them open; `by` None leaves open what decided.
    """

    query: Query
    expected_ids: tuple[str, ...]
    exclusions: tuple[Exclusion, ...] | None = None

    def is_met_by(self, ids: Sequence[str]) -> bool:
        """Whether these ids are exactly the expected ones."""
        if self.query.text is not None:
            return tuple(ids) == self.expected_ids
        return len(ids) == len(self.expected_ids) and set(ids) == set(self.expected_ids)

    def is_explained_by(self, answer: Answer) -> bool:
        """Whether the answer has exactly the expected exclusions, where any are expected."""
        if self.exclusions is None:
            return True
        given = {one.id: one for one in answer.exclusions}
        return given.keys() == {one.id for one in self.exclusions} and all(
            given[one.id].reason == one.reason and one.by in (None, given[one.id].by)
            for one in self.exclusions
        )


@dataclass(frozen=True, slots=True)
class ExpectedRejection:
    """An event that has to be rejected: its index, and the code that begins the reason."""

    index: int
    code: str


@dataclass(frozen=True, slots=True)
class Case:
    """Raw events in order of arrival, and what has to come of them.

    `rule` are numbers of rules in docs/policy.md. `rejections` are all that may be rejected.
    """

    name: str
    rule: tuple[int, ...]
    events: tuple[Mapping[str, Any], ...]
    questions: tuple[Question, ...]
    rejections: tuple[ExpectedRejection, ...]


def load() -> tuple[Case, ...]:
    """Every case, in the order of the file; new ones are added at its end."""
    return tuple(_case(one) for one in json.loads(FILE.read_text("utf-8"))["cases"])


def _case(raw: Mapping[str, Any]) -> Case:
    return Case(
        name=raw["name"],
        rule=tuple(raw["rule"]),
        events=tuple(raw["events"]),
        questions=tuple(_question(one) for one in raw["queries"]),
        rejections=tuple(ExpectedRejection(**one) for one in raw.get("expected_rejections", ())),
    )


def _question(raw: Mapping[str, Any]) -> Question:
    expected = raw.get("expected_exclusions")
    exclusions = None if expected is None else tuple(Exclusion(**one) for one in expected)
    return Question(parse_query(raw), tuple(raw["expected_ids"]), exclusions)
