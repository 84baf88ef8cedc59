"""When the gate opens, and with which exit code."""

from itertools import product

import pytest

from memtru_ci.domain.report import RunSettings, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.gate import closes, decide

PASS, FAIL, ERROR = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
INCONCLUSIVE, SKIPPED = Verdict.INCONCLUSIVE, Verdict.SKIPPED
SEVERITIES = ["low", "medium", "high", "critical"]


def results(*verdicts: Verdict, severity: str = "high") -> list[ScenarioResult]:
    return [
        ScenarioResult(
            scenario=f"MT-{number}",
            title="",
            suite="s",
            severity=severity,
            verdict=verdict,
            reason="",
        )
        for number, verdict in enumerate(verdicts, 1)
    ]


def settings(**changed: object) -> RunSettings:
    given = {"scenarios": [], "window_ms": 1, "timeout_ms": 1, "fail_on": "medium", "seed": 1}
    return RunSettings.model_validate({**given, **changed})


def code(*verdicts: Verdict, interrupted: str = "", **changed: object) -> int:
    gate = decide(results(*verdicts), settings(**changed), interrupted)
    assert gate.open == (gate.exit_code == 0) == (gate.reasons == [])
    return gate.exit_code


def test_a_pass_opens_the_gate() -> None:
    assert code(PASS, PASS) == 0


def test_a_fail_closes_it() -> None:
    assert code(PASS, FAIL) == 1


def test_an_error_is_4() -> None:
    assert code(PASS, ERROR) == 4


def test_inconclusive_is_3() -> None:
    assert code(PASS, INCONCLUSIVE) == 3


def test_a_run_of_nothing_but_skips_is_not_a_pass() -> None:
    assert code(SKIPPED, SKIPPED) == 3


def test_an_empty_run_is_not_a_pass() -> None:
    assert code() == 3


def test_a_skip_beside_a_pass_is_no_harm() -> None:
    assert code(PASS, SKIPPED) == 0


@pytest.mark.parametrize("key", ["required", "asked_by_id"])
def test_a_skip_of_what_was_wanted_closes_it(key: str) -> None:
    assert code(PASS, SKIPPED, **{key: ["MT-2"]}) == 3


@pytest.mark.parametrize("key", ["required", "asked_by_id"])
def test_a_wanted_scenario_without_a_result_closes_it(key: str) -> None:
    assert code(PASS, **{key: ["MT-9"]}) == 3


@pytest.mark.parametrize("key", ["required", "asked_by_id"])
def test_a_wanted_scenario_that_passed_opens_it(key: str) -> None:
    assert code(PASS, SKIPPED, **{key: ["MT-1"]}) == 0


def test_inconclusive_can_be_allowed() -> None:
    assert code(PASS, INCONCLUSIVE, fail_on_inconclusive=False) == 0


def test_nothing_but_inconclusive_never_opens() -> None:
    assert code(INCONCLUSIVE, SKIPPED, fail_on_inconclusive=False) == 3


def test_an_error_is_not_forgiven_with_inconclusive() -> None:
    assert code(PASS, ERROR, fail_on_inconclusive=False) == 4


def test_an_interrupted_run_never_opens() -> None:
    assert code(PASS, PASS, interrupted="told to stop") == 3
    assert code(PASS, interrupted="told to stop", fail_on_inconclusive=False) == 3


def test_an_interrupted_run_with_a_finding_is_1() -> None:
    assert code(FAIL, INCONCLUSIVE, interrupted="told to stop") == 1


@pytest.mark.parametrize(("severity", "fail_on"), list(product(SEVERITIES, SEVERITIES)))
def test_a_fail_closes_it_from_the_severity_asked_for_on(severity: str, fail_on: str) -> None:
    gate = decide(results(FAIL, severity=severity), settings(fail_on=fail_on))
    at_least = SEVERITIES.index(severity) >= SEVERITIES.index(fail_on)
    assert gate.exit_code == (1 if at_least else 0)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_never_opens_it_for_every_fail(severity: str) -> None:
    assert decide(results(FAIL, severity=severity), settings(fail_on="never")).open


def test_a_fail_of_unknown_severity_closes_it() -> None:
    assert closes("dreadful", "critical")


def test_a_tolerated_fail_does_not_hide_an_error() -> None:
    assert code(FAIL, ERROR, fail_on="never") == 4


@pytest.mark.parametrize("verdicts", list(product(Verdict, repeat=3)))
def test_findings_go_before_errors_and_errors_before_doubt(verdicts: tuple[Verdict, ...]) -> None:
    if FAIL in verdicts:
        expected = 1
    elif ERROR in verdicts:
        expected = 4
    elif INCONCLUSIVE in verdicts or PASS not in verdicts:
        expected = 3
    else:
        expected = 0
    assert code(*verdicts) == expected


def test_every_reason_is_told() -> None:
    gate = decide(results(FAIL, ERROR, INCONCLUSIVE), settings(required=["MT-9"]), "told to stop")
    assert len(gate.reasons) == 5
