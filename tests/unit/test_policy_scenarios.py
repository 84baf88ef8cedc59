"""The catalogue of MT-LP-…: ids never change, and what one case sends meets no other case."""

from pathlib import Path

import pytest

from memtru_ci.domain.policy_case import PolicyCase, Question, plain_id
from memtru_ci.domain.reduction import IDS_KEPT
from memtru_ci.policy import cases
from memtru_ci.policy.store import PolicyStore
from memtru_ci.scenario import JointScenario
from memtru_ci.scenarios import SUITES
from memtru_ci.scenarios.policy_cases import ALL_WINNERS, POLICY_CASES

FROZEN = Path(__file__).with_name("policy_ids.txt")


def policy_of(scenario: JointScenario) -> PolicyCase:
    assert scenario.promise.policy is not None
    return scenario.promise.policy


def test_ids_are_public_and_new_cases_are_only_ever_appended() -> None:
    named = [f"{one.id} {policy_of(one).name}" for one in POLICY_CASES]
    assert named == FROZEN.read_text().splitlines(), "append new cases to the file, change no line"


def test_the_suite_and_all_have_every_case() -> None:
    ids = [one.id for one in POLICY_CASES]
    assert list(SUITES["policy"]) == ids
    assert set(ids) < set(SUITES["all"])
    assert len(ids) == len(cases.load())


@pytest.mark.parametrize("scenario", POLICY_CASES, ids=lambda one: one.id)
def test_the_engine_answers_a_case_as_a_trial_asks_it(scenario: JointScenario) -> None:
    from memtru_ci.policy.query import parse

    store, namespace = PolicyStore(), "memtru-x"
    for call in policy_of(scenario).calls_in(namespace):
        store.add_all(call)
    for question in policy_of(scenario).questions:
        ids = store.query(parse(question.sent_in(namespace))).ids
        assert question.is_answered_by(ids, namespace)


def test_no_question_expects_more_ids_than_its_limit_or_the_evidence_keeps() -> None:
    for scenario in POLICY_CASES:
        for question in policy_of(scenario).questions:
            assert len(question.expected) < min(ALL_WINNERS, IDS_KEPT)


def test_every_question_has_an_answer_of_its_own() -> None:
    for scenario in POLICY_CASES:
        bodies = [one.sent_in("n") for one in policy_of(scenario).questions]
        assert bodies
        assert all(bodies.count(one) == 1 for one in bodies)


def test_events_arrive_one_by_one_but_for_cases_of_rejection() -> None:
    by_name = {policy_of(one).name: policy_of(one) for one in POLICY_CASES}
    for case in cases.load():
        calls = by_name[case.name].calls_in("n")
        expected = 1 if case.rejections else len(case.events)
        assert len(calls) == expected
        assert sum(map(len, calls)) == len(case.events)


def test_names_get_a_prefix_and_everything_else_stays() -> None:
    event = {"id": "a", "target": "", "session": "s", "source": "s", "value": "a", "n": None}
    case = PolicyCase("c", ("1",), (event, 7), ())

    assert case.calls_in("here") == [
        [{**event, "id": "here.a", "session": "here.s"}],
        [7],
    ]
    assert plain_id("here.a.b", "here") == "a.b"
    assert plain_id("there.a", "here") == "there.a"


def test_ids_of_another_case_never_answer_a_question() -> None:
    question = Question({"session": "s"}, ("a",))

    assert question.is_answered_by(["here.a"], "here")
    assert not question.is_answered_by(["a"], "here")
    assert not question.is_answered_by(["there.a"], "here")
