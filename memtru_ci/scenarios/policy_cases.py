"""MT-LP-…: the cases of the temporal policy, each asked for before a restart and after it."""

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.policy_case import PolicyCase, Question
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.verdict import Cause
from memtru_ci.policy import cases
from memtru_ci.scenario import JointScenario
from memtru_ci.trial.policy_trial import PolicyTrial

ALL_WINNERS = 100
"""The limit of a question that ranks nothing; no case has as many facts."""

_ASKED = ("session", "query", "at", "known_at", "limit")
_POST = "Send the events of the case in their order of arrival, into sessions of its own."
_ASK = "Ask the questions of the case; exactly the expected ids are answered."
_RESTART = "Restart the instance, where supported, once for all cases."
_AGAIN = "Ask again after the restart; the answers are the same."


async def _post(trial: PolicyTrial) -> None:
    trial.step(_POST)
    await trial.post_events()


async def _ask(trial: PolicyTrial) -> None:
    trial.step(_ASK)
    await trial.ask()


async def _restart(trial: PolicyTrial) -> None:
    trial.step(_RESTART)
    await trial.restart_if_supported()


async def _ask_again(trial: PolicyTrial) -> None:
    trial.step(_AGAIN)
    await trial.ask_again_if_restarted()


def _scenario(number: int, case: cases.Case, questions: list[Question]) -> JointScenario:
    rules = tuple(map(str, case.rule))
    name = case.name.replace("_", " ")
    return JointScenario(
        Promise(
            id=f"MT-LP-{number:03d}",
            title=f"Policy rule {', '.join(rules)}: {name}",
            finding=Cause.POLICY_VIOLATED,
            suite="policy",
            needs=(frozenset({Capability.POLICY_EVENTS}), frozenset({Capability.POLICY_QUERY})),
            lifecycle=(),
            severity="high",
            afterlife=False,
            steps=(_POST, _ASK, _RESTART, _AGAIN),
            policy=PolicyCase(
                case.name,
                rules,
                tuple(map(dict, case.events)),
                tuple(questions),
                bool(case.rejections),
            ),
        ),
        (_post, _ask, _restart, _ask_again),
    )


def _question(raw: Mapping[str, JsonValue], expected: cases.Question) -> Question:
    """The query as it is written, since its timestamps may have an offset."""
    body: dict[str, JsonValue] = {"query": None, "limit": ALL_WINNERS}
    body |= {field: raw[field] for field in _ASKED if raw.get(field) is not None}
    return Question(body, expected.expected_ids, is_ranked=body["query"] is not None)


def _all() -> Iterator[JointScenario]:
    written = json.loads(cases.FILE.read_text("utf-8"))["cases"]
    for number, (case, raw) in enumerate(zip(cases.load(), written, strict=True), 1):
        asked = zip(raw["queries"], case.questions, strict=True)
        yield _scenario(number, case, [_question(*one) for one in asked])


POLICY_CASES: tuple[JointScenario, ...] = tuple(_all())
"""Numbered in the order of the cases, to which new ones are only ever appended: ids are public."""
