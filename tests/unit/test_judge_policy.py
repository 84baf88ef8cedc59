"""Every rule of the policy suite, by records that were written by hand."""

import pytest

from memtru_ci.domain.judge import Rule, judge, rules_of
from memtru_ci.domain.results import result_of
from memtru_ci.domain.rules.policy import RULES
from memtru_ci.domain.timeline import Outcome
from tests.timelines import NAMESPACE, RESTARTED
from tests.unit.policy_records import (
    CITY,
    PLAIN,
    PROMISE,
    RANKED,
    TEA,
    Judged,
    asked,
    posted,
    recorded,
    restarted,
)

PASS = ("PASS", None, None)
FAIL = ("FAIL", "policy_violated", None)
INCOMPLETE = ("INCONCLUSIVE", "evidence_incomplete", None)
WHOLE = (posted, asked(), restarted(), asked())
SAME_PROCESS = RESTARTED.model_copy(update={"new_started_at": RESTARTED.old_started_at})


def after_restart(**answers: tuple[str, ...]) -> tuple[object, ...]:
    return (posted, asked(), restarted(), asked(**answers))


def error(cause: str) -> tuple[str, str, None]:
    return ("ERROR", cause, None)


CASES = (
    Judged("right before and after", recorded(*WHOLE), PASS),
    Judged("right, and nothing to restart", recorded(posted, asked()), PASS),
    Judged("an id too many", recorded(posted, asked(plain=("a", "b"))), FAIL),
    Judged("an id too few", recorded(posted, asked(plain=())), FAIL),
    Judged("an id twice", recorded(posted, asked(plain=("a", "a"))), FAIL),
    Judged("ranked the other way round", recorded(posted, asked(ranked=("a", "b"))), FAIL),
    Judged(
        "wrong before and after",
        recorded(posted, asked(plain=()), restarted(), asked(plain=())),
        FAIL,
    ),
    Judged(
        "wrong only after the restart",
        recorded(*after_restart(ranked=("b",))),
        ("FAIL", "policy_violated", "restart"),
    ),
    Judged(
        "wrong, and then the target is lost",
        recorded(
            posted,
            lambda one: one.ask(PLAIN, "b"),
            lambda one: one.ask(RANKED, outcome=Outcome.TARGET_LOST),
        ),
        FAIL,
    ),
    Judged(
        "the target is lost",
        recorded(posted, lambda one: one.ask(PLAIN, outcome=Outcome.TARGET_LOST)),
        error("target_lost"),
    ),
    Judged(
        "an answer breaks the contract",
        recorded(posted, lambda one: one.ask(PLAIN, outcome=Outcome.CONTRACT_VIOLATION)),
        error("contract_violation"),
    ),
    Judged(
        "an event is answered with an error",
        recorded(lambda one: one.post(CITY, outcome=Outcome.PROVIDER_ERROR, status=500)),
        error("provider_error"),
    ),
    Judged(
        "a capability is missing",
        recorded(missing=("POLICY_QUERY",)),
        ("SKIPPED", "missing_capability", None),
    ),
    Judged("cut short", recorded(*WHOLE, stopped="its time was over"), INCOMPLETE),
    Judged(
        "a further question without an answer",
        recorded(*WHOLE, lambda one: one.ask(PLAIN, outcome=Outcome.NO_ANSWER)),
        INCOMPLETE,
    ),
    Judged(
        "a restart that made no new process",
        recorded(posted, asked(), restarted(SAME_PROCESS), asked()),
        ("INCONCLUSIVE", "hook_not_executed", None),
    ),
    Judged("wrong, but nobody knows what it was told", recorded(asked(plain=())), INCOMPLETE),
    Judged(
        "an event was told only afterwards",
        recorded(lambda one: one.post(CITY), asked(plain=("b",)), lambda one: one.post(TEA)),
        INCOMPLETE,
    ),
    Judged(
        "a question was left out", recorded(posted, lambda one: one.ask(PLAIN, "a")), INCOMPLETE
    ),
    Judged(
        "nothing was asked after the restart", recorded(posted, asked(), restarted()), INCOMPLETE
    ),
    Judged(
        "an answer has no ids",
        recorded(posted, lambda one: one.ask(PLAIN, raw={}), lambda one: one.ask(RANKED, "b", "a")),
        INCOMPLETE,
    ),
    Judged(
        "wrong, but within the consistency window",
        recorded(posted, asked(plain=()), consistency_window_ms=500),
        INCOMPLETE,
    ),
)


def _renumbered(case: Judged) -> Judged:
    events = tuple(one.model_copy(update={"seq": one.seq + 1}) for one in case.record.events)
    record = case.record.model_copy(update={"events": events})
    return Judged("an event was taken out", record, INCOMPLETE)


def _reordered() -> Judged:
    record = recorded(lambda one: one.post(TEA), lambda one: one.post(CITY), asked())
    return Judged("events in another order", record, INCOMPLETE)


ALL = (*CASES, _renumbered(CASES[0]), _reordered())


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_record_gets_its_verdict(case: Judged) -> None:
    assert case.outcome() == case.expected, case.judged().reason


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_removing_any_single_rule_turns_a_record_red(rule: Rule) -> None:
    others = tuple(one for one in RULES if one is not rule)

    red = [case.name for case in ALL if case.outcome(others) != case.expected]

    assert red, f"no record needs the rule '{rule.__name__}'"


def test_a_promise_with_a_policy_is_judged_by_the_rules_of_the_policy_alone() -> None:
    assert rules_of(PROMISE) == RULES


def test_the_reason_names_rule_wrong_and_missing_ids_without_their_prefix() -> None:
    reason = judge(PROMISE, recorded(posted, asked(plain=("b",)))).reason

    assert "Rule 6 or 7" in reason
    assert "two_facts" in reason
    assert "'b' must not be in the answer, 'a' must be" in reason
    assert NAMESPACE not in reason


def test_the_reason_of_a_wrong_order_and_of_an_id_twice_gives_the_right_one() -> None:
    for answer in (("a", "b"), ("b", "a", "b")):
        reason = judge(PROMISE, recorded(posted, asked(ranked=answer))).reason
        assert "it must be 'b', 'a', each once, in order" in reason


def test_ids_of_a_service_are_legible_and_counted_in_the_reason() -> None:
    ids = ("\x1b[2J", *(f"id{number}" for number in range(40)))
    reason = judge(PROMISE, recorded(posted, asked(plain=ids))).reason

    assert "\x1b" not in reason
    assert "36 more" in reason


def test_an_answer_after_the_consistency_window_counts() -> None:
    def wait(sketch: object) -> None:
        sketch.now += 600  # type: ignore[attr-defined]

    record = recorded(posted, wait, asked(plain=()), consistency_window_ms=500)
    assert judge(PROMISE, record).verdict == "FAIL"


def test_a_result_of_the_policy_has_no_marker_no_surfaces_and_no_afterlife() -> None:
    told = result_of(PROMISE, recorded(*WHOLE))

    assert told.verdict == "PASS"
    assert told.record is not None
    assert told.record.marker is None
    assert (told.surfaces, told.windows, told.hold, told.afterlife) == ([], [], None, None)
