"""A saved report of the policy suite is judged by its evidence and the gate's own expectations."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from memtru_ci.domain.rejudge import Rejudgement, rejudge
from memtru_ci.domain.report import Report
from memtru_ci.scenarios import PROMISES
from tests.performing import Performance, report_of
from tests.unit.test_joint import perform, policy_world

SCENARIO = "MT-LP-017"
Edit = Callable[[dict[str, Any]], None]


@cache
def _saved(*, is_right: bool) -> str:
    made = policy_world()
    if not is_right:
        made.after["policy_events"] = lambda _: made.policy.__init__()  # type: ignore[misc]
    performance: Performance = perform(made, SCENARIO)
    return report_of(performance.run.results).model_dump_json()


def saved(*, is_right: bool = True) -> dict[str, Any]:
    """A report as its file has it."""
    return Report.model_validate_json(_saved(is_right=is_right)).model_dump(mode="json")


def edited(report: dict[str, Any], edit: Edit) -> Rejudgement:
    edit(report["results"][0])
    return rejudge(Report.model_validate(report), PROMISES)


def answer_with(*ids: str) -> Edit:
    """Put other ids into the last answer."""

    def edit(result: dict[str, Any]) -> None:
        prefix = result["record"]["namespace"]
        last = result["record"]["evidence"][-1]
        last["answer"] = {"ids": [f"{prefix}.{one}" for one in ids]}

    return edit


def _pass(result: dict[str, Any]) -> None:
    result.update(verdict="PASS", cause=None, finding=None, deciding_event=None)


def _drop_last(result: dict[str, Any]) -> None:
    result["record"]["events"].pop()
    result["record"]["evidence"].pop()


def _ask_something_else(result: dict[str, Any]) -> None:
    result["record"]["evidence"][-1]["request"]["at"] = "2025-01-01T00:00:00Z"


def _tell_something_else(result: dict[str, Any]) -> None:
    result["record"]["evidence"][1]["request"]["events"][0]["value"] = "y"


def _drop_answer(result: dict[str, Any]) -> None:
    result["record"]["evidence"][-1]["answer"] = None


def test_a_report_that_nobody_touched_is_borne_out() -> None:
    for is_right in (True, False):
        again = edited(saved(is_right=is_right), lambda result: None)
        assert again.differences == ()
        assert again.verdict == ("PASS" if is_right else "FAIL")


def test_no_report_holds_what_was_expected() -> None:
    assert "expected" not in _saved(is_right=False)


def test_a_fail_that_was_edited_into_a_pass_is_found_out() -> None:
    again = edited(saved(is_right=False), _pass)

    assert again.results[0].verdict == "FAIL"
    assert f"{SCENARIO} verdict" in {one.where for one in again.differences}


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (answer_with("a"), "FAIL"),
        (answer_with(), "FAIL"),
        (_drop_last, "INCONCLUSIVE"),
        (_drop_answer, "INCONCLUSIVE"),
        (_ask_something_else, "INCONCLUSIVE"),
        (_tell_something_else, "INCONCLUSIVE"),
    ],
)
def test_other_evidence_gives_another_verdict(edit: Edit, verdict: str) -> None:
    again = edited(saved(), edit)

    assert again.results[0].verdict == verdict
    assert again.differences


def test_a_wrong_answer_after_the_restart_alone_has_its_trigger() -> None:
    again = edited(saved(), answer_with("a"))

    assert again.results[0].trigger == "restart"
