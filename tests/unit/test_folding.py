"""Many results of one suite take few lines in every document, and none that failed is lost."""

import io
import json
from pathlib import Path

import pytest

from memtru_ci.cli.ending import all_rows
from memtru_ci.domain.folding import SHOWN, briefly, condensed, folded, told_of
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.telling import command_again
from memtru_ci.domain.verdict import Cause, Trigger, Verdict
from memtru_ci.gate import decide
from memtru_ci.github.annotations import MAX_OF_A_TYPE, annotate
from memtru_ci.github.log import Log
from memtru_ci.reporters.anchor import Sources, find_anchors
from memtru_ci.reporters.sarif import SarifReporter
from memtru_ci.reporters.summary import SummaryReporter
from memtru_ci.reporters.words import headline_of, pass_means
from tests import examples

_CAUSES = {
    Verdict.FAIL: Cause.POLICY_VIOLATED,
    Verdict.ERROR: Cause.TARGET_LOST,
    Verdict.INCONCLUSIVE: Cause.EVIDENCE_INCOMPLETE,
    Verdict.SKIPPED: Cause.MISSING_CAPABILITY,
}


def policy(number: int, verdict: Verdict, reason: str = "") -> ScenarioResult:
    """A result of the policy suite."""
    cause = _CAUSES.get(verdict)
    return ScenarioResult(
        scenario=f"MT-LP-{number:03d}",
        title=f"Case {number}",
        suite="policy",
        severity="high",
        verdict=verdict,
        cause=cause,
        finding=cause.value if verdict is Verdict.FAIL and cause else None,
        reason=reason or f"Rule {number} is told.",
    )


def policies(first: int, last: int, verdict: Verdict) -> list[ScenarioResult]:
    return [policy(number, verdict, "Alike.") for number in range(first, last + 1)]


MIXED = [*policies(1, 40, Verdict.PASS), *policies(41, 70, Verdict.FAIL)]


def ending(report: Report) -> str:
    return "\n".join(f"{head}{text}" for head, text in all_rows(report, Path("out"), "again"))


def sarif(report: Report) -> dict[str, object]:
    anchors = find_anchors(Sources(), report.settings.scenarios)
    run: dict[str, object] = json.loads(SarifReporter(anchors).render(report))["runs"][0]
    return run


def test_ids_in_a_row_are_told_by_the_first_and_the_last() -> None:
    ids = ["MT-AF-001", "MT-AF-002", *(f"MT-LP-{one:03d}" for one in (1, 2, 3, 5, 99, 100, 101))]
    assert condensed(ids) == [
        "MT-AF-001",
        "MT-AF-002",
        "MT-LP-001 to MT-LP-003",
        "MT-LP-005",
        "MT-LP-099 to MT-LP-101",
    ]
    assert condensed(["x", "MT-LP-2", "", "MT-LP-1"]) == ["x", "MT-LP-2", "", "MT-LP-1"]


def test_what_passed_is_one_and_what_failed_is_shown_up_to_a_number() -> None:
    alone, folds = folded(MIXED)

    assert [one.scenario for one in alone] == [f"MT-LP-{one:03d}" for one in range(41, 41 + SHOWN)]
    assert [(one.name, len(one.results)) for one in folds] == [
        ("MT-LP-001 to MT-LP-040", 40),
        ("MT-LP-051 to MT-LP-070", 20),
    ]
    assert [one.is_rest for one in folds] == [False, True]


def test_other_suites_and_single_results_are_never_folded() -> None:
    results = [examples.passed(), examples.failed(), policy(1, Verdict.PASS)]

    assert folded(results) == (results, [])


def test_a_reason_that_all_have_is_told_once() -> None:
    told = list(told_of([*policies(1, 5, Verdict.SKIPPED), policy(6, Verdict.PASS, "Fine.")]))

    assert told == [
        ("MT-LP-006", Verdict.PASS, "Fine."),
        ("MT-LP-001 to MT-LP-005", Verdict.SKIPPED, "5 of the suite 'policy': Alike."),
    ]


def test_a_command_names_the_suite_in_place_of_many_ids() -> None:
    report = examples.report(examples.failed(), *MIXED)
    ids = [one.scenario for one in report.results]

    assert briefly(ids, report.results) == [examples.failed().scenario, "policy"]
    assert briefly(["MT-LP-001"], report.results) == ["MT-LP-001"]
    assert command_again(report, ids).count("--scenario") == 2


def test_the_ending_of_a_run_is_short_and_ends_with_the_verdict() -> None:
    text = ending(examples.report(*MIXED))

    assert text.count("FAIL         MT-LP-") == SHOWN + 1
    assert "PASS         MT-LP-001 to MT-LP-040" in text
    assert "20 more of the suite 'policy'" in text
    assert len(text.splitlines()) < 80


def test_the_gate_gives_a_reason_for_the_first_and_one_for_the_rest() -> None:
    report = examples.report(examples.failed(), *MIXED)
    gate = decide(report.results, report.settings)

    assert gate.exit_code == 1
    assert len(gate.reasons) == 1 + SHOWN + 1
    assert "20 more of the suite 'policy' are FAIL" in gate.reasons


def test_the_gate_still_closes_for_one_failure_among_many_passes() -> None:
    results = [*policies(1, 40, Verdict.PASS), policy(41, Verdict.FAIL)]
    report = examples.report(*results)

    assert decide(results, report.settings).reasons == ["MT-LP-041 is FAIL (high)"]


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.SKIPPED])
def test_the_summary_has_one_row_for_what_is_quiet(verdict: Verdict) -> None:
    text = SummaryReporter().render(examples.report(examples.passed(), *policies(1, 60, verdict)))

    (row,) = [line for line in text.splitlines() if line.startswith("| MT-LP")]
    assert "MT-LP-001 to MT-LP-060" in row
    assert verdict.value in row


def test_the_summary_lists_the_first_failures_and_counts_the_rest() -> None:
    text = SummaryReporter().render(examples.report(*MIXED))

    assert text.count("## ❌ MT-LP") == SHOWN
    assert "## ❌ FAIL: MT-LP-051 to MT-LP-070" in text


def test_a_summary_of_a_policy_speaks_of_no_marker_and_no_window() -> None:
    restarted = policy(2, Verdict.FAIL).model_copy(update={"trigger": Trigger.RESTART})
    text = SummaryReporter().render(examples.report(restarted))

    assert "was watched for" not in text
    assert "came back" not in text
    assert "It was seen after **restart**" in text
    assert "marker was retrievable" not in text


def test_the_headline_speaks_of_the_policy_only_where_that_is_all_it_is_about() -> None:
    passed, broken = policy(1, Verdict.PASS), policy(2, Verdict.FAIL)

    assert "policy" in headline_of(examples.report(passed))
    assert "policy" in headline_of(examples.report(broken, examples.passed()))
    assert "policy" not in headline_of(examples.report(broken, examples.failed()))
    assert "policy" not in headline_of(examples.report(passed, examples.passed()))
    assert "policy" not in pass_means(examples.report(examples.passed()))


def test_sarif_has_a_result_for_each_failure_and_rules_for_no_pass() -> None:
    run = sarif(examples.report(examples.passed(), *MIXED))
    rules = run["tool"]["driver"]["rules"]  # type: ignore[index]
    results = run["results"]

    assert len(results) == 30  # type: ignore[arg-type]
    assert len(rules) == 31
    for one in results:  # type: ignore[attr-defined]
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
    assert {one["name"] for one in rules[1:]} == {"PolicyViolated"}
    assert {one["helpUri"].rpartition("/")[2] for one in rules[1:]} == {"MT-LP.md"}


def test_sarif_has_one_notification_for_many_skips() -> None:
    run = sarif(examples.report(*policies(1, 60, Verdict.SKIPPED)))
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]  # type: ignore[index]

    assert notification["level"] == "note"
    assert "MT-LP-001 to MT-LP-060" in notification["message"]["text"]


def test_annotations_stay_within_their_number_and_skips_take_one(tmp_path: Path) -> None:
    out = io.StringIO()
    report = examples.report(*MIXED, *policies(71, 90, Verdict.SKIPPED))
    annotate(Log(out), report, tmp_path / "none.sarif")
    lines = out.getvalue().splitlines()

    assert sum(line.startswith("::error") for line in lines) == MAX_OF_A_TYPE
    (skips,) = [line for line in lines if line.startswith("::notice")]
    assert "MT-LP-071 to MT-LP-090" in skips
