"""A saved report is judged from its evidence: whatever was edited by hand is named, not echoed."""

from collections.abc import Callable
from typing import Any

import pytest

from memtru_ci.domain import report as told_by
from memtru_ci.domain.rejudge import Difference, Rejudgement, count, rejudge
from memtru_ci.domain.report import Report
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Verdict, overall
from memtru_ci.scenarios import PROMISES
from tests.timelines import (
    DELETE_EFFECTIVE,
    STEPS,
    late_write,
    looks,
    performed,
    result,
    results,
)
from tests.unit.judged_cases import CASES, Judged

Edit = Callable[[dict[str, Any]], None]


def saved(*told: Any) -> dict[str, Any]:
    """A report of these results, as its file has it."""
    report = Report(
        tool=told_by.ToolFacts(version="0"),
        run_id="r",
        started_at="2026-01-01T00:00:00Z",
        duration_ms=1,
        complete=True,
        target=told_by.TestedTarget(name="image:x", kind="image"),
        settings=told_by.RunSettings(
            scenarios=[one.scenario for one in told],
            window_ms=2000,
            timeout_ms=60000,
            fail_on="high",
            seed=1,
        ),
        verdict=overall(one.verdict for one in told),
        counts=count(list(told)),
        gate=told_by.GateFacts(open=True, exit_code=0),
        results=list(told),
    )
    return report.model_dump(mode="json")


def again(report: dict[str, Any]) -> Rejudgement:
    """The report as `judge` reads it."""
    return rejudge(Report.model_validate(report), PROMISES)


def named(rejudgement: Rejudgement) -> set[str]:
    """What differs."""
    return {one.where for one in rejudgement.differences}


def back_after_release() -> Any:
    return result(
        "MT-AF-001",
        late_write(
            "after_restart",
            after_release=looks(
                Action.AFTER_RELEASE, search=lambda ms: "mb" if ms > 300 else "b", list="b"
            ),
        ),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_report_that_nobody_touched_is_borne_out(case: Judged) -> None:
    judged = again(saved(result(case.scenario, case.record)))

    assert judged.differences == ()
    assert [(one.verdict, one.cause, one.trigger) for one in judged.results] == [case.expected]


def _first(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = report["results"][0]
    return found


def _event(report: dict[str, Any], action: Action) -> dict[str, Any]:
    events = _first(report)["record"]["events"]
    found: dict[str, Any] = next(one for one in events if one["action"] == action)
    return found


def _sightings(report: dict[str, Any]) -> list[dict[str, Any]]:
    readings = [
        reading
        for event in _first(report)["record"]["events"]
        if event["watch"]
        for look in event["watch"]["looks"]
        for reading in look["readings"]
    ]
    return [one for one in readings if one["marker"]]


def _hide_flags(report: dict[str, Any]) -> None:
    for reading in _sightings(report):
        reading["marker"] = False


def _hide_in_the_timeline(report: dict[str, Any]) -> None:
    for event in _first(report)["afterlife"]["events"]:
        event["marker_visible"] = False
        event["surfaces"] = []


def _hide_the_looks(report: dict[str, Any]) -> None:
    watch = _event(report, Action.AFTER_RELEASE)["watch"]
    watch["looks"] = [
        look for look in watch["looks"] if not any(one["marker"] for one in look["readings"])
    ]


def _call_it(verdict: str) -> Edit:
    def edit(report: dict[str, Any]) -> None:
        _first(report)["verdict"] = verdict
        report["verdict"] = verdict

    return edit


def _set(key: str, value: object) -> Edit:
    return lambda report: _first(report).update({key: value})


def _set_afterlife(key: str, value: object) -> Edit:
    return lambda report: _first(report)["afterlife"].update({key: value})


def _drop_the_record(report: dict[str, Any]) -> None:
    _first(report).update({"record": None, "verdict": "SKIPPED"})


def _empty(report: dict[str, Any]) -> None:
    report["results"] = []


EDITS_OF_A_FAIL: dict[str, tuple[Edit, str]] = {
    "the verdict": (_call_it("PASS"), "MT-AF-001 verdict"),
    "the verdict, to skipped": (_call_it("SKIPPED"), "MT-AF-001 verdict"),
    "the cause": (_set("cause", "window_not_covered"), "MT-AF-001 cause"),
    "the trigger": (_set("trigger", "restart"), "MT-AF-001 trigger"),
    "the finding": (_set("finding", None), "MT-AF-001 finding"),
    "the deciding event": (_set("deciding_event", 1), "MT-AF-001 deciding_event"),
    "the severity": (_set("severity", "low"), "MT-AF-001 severity"),
    "the hold": (_set("hold", None), "MT-AF-001 hold"),
    "the flags of its readings": (_hide_flags, "MT-AF-001 events"),
    "the looks that saw it": (_hide_the_looks, "MT-AF-001 events"),
    "the timeline": (_hide_in_the_timeline, "MT-AF-001 afterlife"),
    "resurrected": (_set_afterlife("resurrected", False), "MT-AF-001 afterlife"),
    "its first event": (_set_afterlife("first_resurrection_event", None), "MT-AF-001 afterlife"),
    "its trigger": (_set_afterlife("resurrection_trigger", None), "MT-AF-001 afterlife"),
    "the deletion contract": (
        _set_afterlife("deletion_contract", "thread_checkpoint"),
        "MT-AF-001 afterlife",
    ),
    "the surfaces": (_set("surfaces", []), "MT-AF-001 surfaces"),
    "the windows": (_set("windows", []), "MT-AF-001 windows"),
    "the record": (_drop_the_record, "MT-AF-001 verdict"),
    "the result": (_empty, "MT-AF-001 results"),
    "the run's verdict": (lambda report: report.update(verdict="PASS"), "the run's verdict"),
    "the run's counts": (
        lambda report: report["counts"].update(failed=0, passed=1),
        "the run's counts",
    ),
}


@pytest.mark.parametrize("what", EDITS_OF_A_FAIL)
def test_an_edit_of_a_fail_is_named(what: str) -> None:
    edit, where = EDITS_OF_A_FAIL[what]
    report = saved(back_after_release())
    edit(report)

    judged = again(report)

    assert where in named(judged)
    assert Verdict.PASS not in {one.verdict for one in judged.results}


@pytest.mark.parametrize(
    "edit", [_hide_flags, _hide_the_looks, _hide_in_the_timeline], ids=lambda edit: edit.__name__
)
def test_a_fail_stays_a_fail_where_only_what_was_derived_is_edited(edit: Edit) -> None:
    report = saved(back_after_release())
    edit(report)
    _call_it("PASS")(report)
    _first(report).update(cause=None, trigger=None, finding=None)

    assert [one.verdict for one in again(report).results] == [Verdict.FAIL]


def _refuse(report: dict[str, Any]) -> None:
    _event(report, Action.RELEASE_PENDING_WRITES)["receipt"]["executed"] = False


def _other_outcome(report: dict[str, Any]) -> None:
    _event(report, Action.AFTER_RELEASE)["watch"]["looks"][0]["readings"][0]["outcome"] = (
        "no_answer"
    )


def _other_times(report: dict[str, Any]) -> None:
    release = _event(report, Action.RELEASE_PENDING_WRITES)
    delete = _event(report, Action.DELETE)
    for key in ("started_ms", "ended_ms"):
        release[key], delete[key] = delete[key], release[key]


def _other_window(report: dict[str, Any]) -> None:
    _event(report, Action.AFTER_RELEASE)["watch"]["since_ms"] = 1e6


@pytest.mark.parametrize(
    "edit", [_refuse, _other_outcome, _other_times, _other_window], ids=lambda edit: edit.__name__
)
def test_what_evidence_bears_out_is_put_right_and_named(edit: Edit) -> None:
    report = saved(result("MT-AF-001", late_write()))
    edit(report)

    judged = again(report)

    assert [one.verdict for one in judged.results] == [Verdict.PASS]
    assert "MT-AF-001 events" in named(judged)


def _steps(report: dict[str, Any], action: Action) -> list[int]:
    found: list[int] = _event(report, action)["evidence_steps"]
    return found


def _exchange(report: dict[str, Any], step: int) -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in _first(report)["record"]["evidence"] if one["step"] == step
    )
    return found


def _sight_in_evidence(report: dict[str, Any]) -> None:
    _exchange(report, _steps(report, Action.AFTER_RELEASE)[-1])["answer"] = results("mb")


def _refuse_in_evidence(report: dict[str, Any]) -> None:
    step = _steps(report, Action.RELEASE_PENDING_WRITES)[0]
    _exchange(report, step)["answer"]["executed"] = False


def _swap_in_evidence(report: dict[str, Any]) -> None:
    release = _exchange(report, _steps(report, Action.RELEASE_PENDING_WRITES)[0])
    delete = _exchange(report, _steps(report, Action.DELETE)[0])
    for key in ("started_ms", "ended_ms"):
        release[key], delete[key] = delete[key], release[key]


def _drop_evidence(report: dict[str, Any]) -> None:
    taken = _steps(report, Action.DELETE)
    record = _first(report)["record"]
    record["evidence"] = [one for one in record["evidence"] if one["step"] not in taken]


def _same_process(report: dict[str, Any]) -> None:
    restart = _event(report, Action.RESTART)["restart"]
    restart["new_started_at"] = restart["old_started_at"]


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (_sight_in_evidence, Verdict.FAIL),
        (_refuse_in_evidence, Verdict.INCONCLUSIVE),
        (_swap_in_evidence, Verdict.INCONCLUSIVE),
        (_drop_evidence, Verdict.INCONCLUSIVE),
        (_same_process, Verdict.INCONCLUSIVE),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_other_evidence_gives_another_verdict(edit: Edit, verdict: Verdict) -> None:
    report = saved(result("MT-AF-001", late_write()))
    edit(report)

    judged = again(report)

    assert [one.verdict for one in judged.results] == [verdict]
    assert {"MT-AF-001 verdict", "the run's verdict"} <= named(judged)


@pytest.mark.parametrize("scenario", STEPS)
def test_no_event_can_be_taken_out_unnoticed(scenario: str) -> None:
    told = result(scenario, performed(STEPS[scenario]))
    for number in range(len(saved(told)["results"][0]["record"]["events"])):
        report = saved(told)
        del _first(report)["record"]["events"][number]
        assert named(again(report)), number


def test_no_event_can_be_taken_out_of_a_fail_to_make_it_a_pass() -> None:
    told = back_after_release()
    assert told.record is not None
    for number in range(len(told.record.events)):
        report = saved(told)
        taken = _first(report)["record"]["events"].pop(number)
        evidence = _first(report)["record"]["evidence"]
        left = [one for one in evidence if one["step"] not in taken["evidence_steps"]]
        for kept in (evidence, left):
            _first(report)["record"]["evidence"] = kept
            judged = again(report)
            assert judged.differences, taken["action"]
            assert judged.verdict is not Verdict.PASS, taken["action"]


def test_a_call_without_an_event_is_named_even_where_the_rest_was_numbered_anew() -> None:
    report = saved(result("MT-AF-002", performed(STEPS["MT-AF-002"])))
    record = _first(report)["record"]
    events = [one for one in record["events"] if one["action"] != Action.RECORD_UNRELATED]
    record["events"] = [one | {"seq": number} for number, one in enumerate(events, 1)]

    step = next(
        one["step"] for one in record["evidence"] if one["operation"] == Action.RECORD_UNRELATED
    )
    assert f"MT-AF-002 evidence step {step}" in named(again(report))


def test_an_event_that_was_moved_before_the_check_hides_no_sighting() -> None:
    report = saved(back_after_release())
    record = _first(report)["record"]
    _event(report, Action.AFTER_RELEASE)["seq"] = 1
    record["events"].sort(key=lambda one: one["seq"])
    record["events"] = [one | {"seq": number} for number, one in enumerate(record["events"], 1)]

    judged = again(report)

    assert judged.verdict is Verdict.FAIL
    assert judged.differences


def test_a_result_of_an_unknown_scenario_proves_nothing() -> None:
    told = result("MT-AF-001", late_write()).model_copy(update={"scenario": "MT-AF-999"})

    judged = again(saved(told))

    assert judged.verdict is Verdict.INCONCLUSIVE
    assert "MT-AF-999 verdict" in named(judged)


def test_a_result_twice_is_named() -> None:
    told = result("MT-DEL-003", performed(DELETE_EFFECTIVE))

    assert "MT-DEL-003 results" in named(again(saved(told, told)))


def test_long_values_are_said_to_differ_and_not_shown() -> None:
    shown = str(Difference("MT-AF-001 events", "(Event(" + "x" * 300, "(Event(" + "x" * 299))
    assert shown == "MT-AF-001 events: the report does not say what its evidence gives"
    assert (
        str(Difference("it", "PASS", "FAIL")) == "it: the report says PASS, its evidence says FAIL"
    )
