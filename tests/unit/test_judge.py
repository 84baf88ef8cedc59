"""Every row of the verdict tables, by timelines that were written by hand."""

import pytest

from memtru_ci.domain.judge import RULES, Rule, judge
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Cause, Trigger, Verdict
from tests.timelines import late_write, promise, result
from tests.unit.judged_cases import CASES, Judged

ELSEWHERE = {Cause.POLICY_VIOLATED}
"""A cause with rules of its own."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_timeline_gets_its_verdict(case: Judged) -> None:
    assert case.outcome() == case.expected, case.judged().reason


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_removing_any_single_rule_turns_a_case_red(rule: Rule) -> None:
    others = tuple(one for one in RULES if one is not rule)

    red = [case.name for case in CASES if case.outcome(others) != case.expected]

    assert red, f"no timeline needs the rule '{rule.__name__}'"


def test_every_cause_and_every_trigger_has_a_timeline() -> None:
    causes = {cause for case in CASES if (cause := case.expected[1])}
    triggers = {trigger for case in CASES if (trigger := case.expected[2])}

    assert causes == set(Cause) - ELSEWHERE
    assert triggers == set(Trigger)
    assert {case.expected[0] for case in CASES} == set(Verdict)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_verdict_but_a_pass_says_why(case: Judged) -> None:
    judgement = case.judged()

    assert judgement.reason
    assert (judgement.cause is None) == (judgement.verdict is Verdict.PASS)
    assert (judgement.trigger is None) == (judgement.verdict is not Verdict.FAIL)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_report_tells_agrees_with_the_verdict(case: Judged) -> None:
    told = result(case.scenario, case.record)

    assert (told.verdict, told.cause, told.trigger) == case.expected
    assert (told.finding is not None) == (told.verdict is Verdict.FAIL)
    if told.afterlife is not None:
        assert told.afterlife.resurrected == (told.verdict is Verdict.FAIL)
        assert told.afterlife.resurrection_trigger == told.trigger
        sighted = told.afterlife.first_resurrection_event
        shown = [one.seq for one in told.afterlife.events if one.marker_visible]
        assert sighted is None or sighted in shown


def test_a_record_of_nothing_but_unclaimed_reads_can_be_judged_too() -> None:
    whole = late_write()
    (read,) = [one for one in whole.events if one.action is Action.AFTER_RESTART]
    record = whole.model_copy(
        update={
            "stopped": "by a signal",
            "events": (read.model_copy(update={"action": Action.UNCLAIMED, "seq": 1}),),
        }
    )

    assert judge(promise("MT-AF-001"), record).verdict is Verdict.INCONCLUSIVE
