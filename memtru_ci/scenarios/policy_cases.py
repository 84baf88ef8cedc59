"""MT-LP-…: the cases of the temporal policy, each asked for before a restart and after it."""

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


def _scenario(number: int, case: cases.Case) -> JointScenario:
    return JointScenario(
        Promise(
            id=f"MT-LP-{number:03d}",
            title=f"Policy rule {case.rule}: {case.name.replace('_', ' ')}",
            finding=Cause.POLICY_VIOLATED,
            suite="policy",
            needs=(frozenset({Capability.POLICY_EVENTS}), frozenset({Capability.POLICY_QUERY})),
            lifecycle=(),
            severity="high",
            afterlife=False,
            steps=(_POST, _ASK, _RESTART, _AGAIN),
            policy=_promised(case),
        ),
        (_post, _ask, _restart, _ask_again),
    )


def _promised(case: cases.Case) -> PolicyCase:
    questions = tuple(_question(one) for one in case.queries)
    return PolicyCase(case.name, str(case.rule), tuple(case.events), questions)


def _question(query: cases.CaseQuery) -> Question:
    body: dict[str, JsonValue] = {
        "session": query.session,
        "query": query.text,
        "at": query.at,
        "limit": query.limit or ALL_WINNERS,
    }
    if query.known_at is not None:
        body["known_at"] = query.known_at
    return Question(body, query.expected_ids, is_ranked=query.text is not None)


POLICY_CASES: tuple[JointScenario, ...] = tuple(
    _scenario(number, case) for number, case in enumerate(cases.load(), 1)
)
"""Numbered in the order of the cases, to which new ones are only ever appended: ids are public."""
