"""Two reports side by side say where they differ."""

from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.comparison import compare, comparison_text
from tests import examples


def named(name: str, report: Report) -> Report:
    """The report with another target."""
    target = report.target.model_copy(update={"name": name})
    return report.model_copy(update={"target": target})


def fixed() -> Report:
    """The same scenario, in which the marker stayed away."""
    failed = examples.failed()
    assert failed.afterlife is not None
    events = [
        one
        if one.seq < 6 or one.marker_visible is None
        else one.model_copy(update={"marker_visible": False, "surfaces": []})
        for one in failed.afterlife.events
    ]
    result = failed.model_copy(
        update={
            "verdict": Verdict.PASS,
            "cause": None,
            "trigger": None,
            "deciding_event": None,
            "afterlife": failed.afterlife.model_copy(update={"events": events}),
        }
    )
    return named("embedded:", examples.report(result))


BROKEN = named("embedded:late_write_resurrection", examples.report(examples.failed()))


def test_verdicts_and_events_stand_side_by_side() -> None:
    lines = {line.subject: (line.left, line.right) for line in compare(BROKEN, fixed())}
    assert lines[""] == ("embedded:late_write_resurrection", "embedded:")
    assert lines["MT-AF-001"] == (
        "FAIL late_write_resurrected after release_pending_writes",
        "PASS",
    )
    assert lines["after_release"] == (
        "marker visible on search, profile <- back",
        "marker absent",
    )
    assert lines["overall"] == ("FAIL, gate closed (exit code 1)", "PASS, gate open (exit code 0)")


def test_it_is_made_from_the_reports_alone() -> None:
    swapped = {line.subject: (line.left, line.right) for line in compare(fixed(), BROKEN)}
    assert swapped["after_release"] == (
        "marker absent",
        "marker visible on search, profile <- back",
    )


def test_what_only_one_side_has_is_shown_beside_nothing() -> None:
    both = examples.report(examples.failed(), examples.passed())
    lines = {line.subject: (line.left, line.right) for line in compare(BROKEN, both)}
    assert lines["MT-DEL-003"] == ("-", "PASS")
    assert lines["after_delete"] == ("-", "marker absent")


def test_columns_of_a_terminal_line_up() -> None:
    lines = comparison_text(BROKEN, fixed()).splitlines()
    assert {line[len(lines[1].split("  ")[0]) :][:2] for line in lines} == {"  "}


def test_a_hostile_detail_stays_one_line_of_plain_text() -> None:
    failed = examples.failed()
    assert failed.afterlife is not None
    events = [
        one.model_copy(update={"detail": "a|b\n\x1b[31m<script>"})
        for one in failed.afterlife.events
    ]
    afterlife = failed.afterlife.model_copy(update={"events": events})
    report = examples.report(failed.model_copy(update={"afterlife": afterlife}))
    shown = comparison_text(report, report)
    assert len(shown.splitlines()) == len(compare(report, report)) + 1
    assert "\x1b" not in shown
