"""What a user sees of a run."""

import io
from pathlib import Path

import pytest

from memtru_ci.cli.colours import coloured
from memtru_ci.cli.console import PlainProgress, watching
from memtru_ci.cli.ending import all_rows, nothing_started
from memtru_ci.cli.layout import hung
from memtru_ci.domain.timeline import Action, Event, Outcome, Phase
from memtru_ci.domain.verdict import Verdict
from tests.examples import errored, failed, inconclusive, passed, report, skipped


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def event(detail: str, outcome: Outcome = Outcome.DONE) -> Event:
    return Event(
        seq=1,
        step=1,
        phase=Phase.DELETE,
        action=Action.DELETE,
        detail=detail,
        started_ms=1000,
        ended_ms=1234,
        outcome=outcome,
    )


def ending(*results: object) -> str:
    rows = all_rows(report(*results), Path("out"), "again")  # type: ignore[arg-type]
    return "\n".join(f"{head}{text}" for head, text in rows)


def test_plain_progress_has_a_line_for_every_event() -> None:
    out = io.StringIO()
    progress = PlainProgress(out)
    progress.scenario_started("MT-AF-001", 1, 3)
    progress.event_recorded("MT-AF-001", event("answered 204"))
    progress.scenario_ended("MT-AF-001", Verdict.PASS, "It stayed absent.")
    assert out.getvalue().splitlines() == [
        "[1/3] MT-AF-001",
        "     1.23 s delete                  answered 204",
        "  PASS  MT-AF-001  It stayed absent.",
    ]


def test_plain_progress_tells_of_a_window_once_and_not_of_every_look() -> None:
    out = io.StringIO()
    progress = PlainProgress(out)
    for left in (5.0, 4.0, 3.0):
        progress.window_open("MT-AF-001", "after_release", left)
    assert len(out.getvalue().splitlines()) == 1


def test_what_went_wrong_is_told_before_its_detail() -> None:
    out = io.StringIO()
    PlainProgress(out).event_recorded("MT-AF-001", event("500", Outcome.PROVIDER_ERROR))
    assert "provider_error: 500" in out.getvalue()


def test_text_of_a_target_cannot_steer_the_terminal() -> None:
    out = io.StringIO()
    PlainProgress(out).event_recorded("MT-AF-001", event("\x1b[2J\x1b]0;title\x07\nVerdict: PASS"))
    assert "\x1b" not in out.getvalue()
    assert "\x07" not in out.getvalue()
    assert "\nVerdict" not in out.getvalue()


def test_a_terminal_gets_a_line_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    with watching(stream=out) as progress:
        progress.scenario_started("MT-AF-001", 1, 3)
        progress.window_open("MT-AF-001", "after_release", 3.21)
    assert "MT-AF-001  after_release: 3.2 s of the window left" in out.getvalue()


def test_a_terminal_without_abilities_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with watching(stream=Terminal()) as progress:
        assert isinstance(progress, PlainProgress)


def test_no_color_is_respected_while_a_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    with watching(stream=out) as progress:
        progress.scenario_ended("MT-AF-001", Verdict.FAIL, "It came back.")
    assert "It came back." in out.getvalue()
    assert "[31m" not in out.getvalue()
    assert ";31m" not in out.getvalue()


def test_a_verdict_has_a_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured("FAIL  x", Terminal()) == "\x1b[1;31mFAIL\x1b[0m  x"
    assert coloured("FAIL  x", io.StringIO()) == "FAIL  x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured("FAIL  x", Terminal()) == "FAIL  x"


def test_long_text_hangs_beside_its_head() -> None:
    lines = hung("head ", "word " * 20, 40)
    assert lines[0].startswith("head word")
    assert all(line.startswith("     word") for line in lines[1:])
    assert all(len(line) <= 40 for line in lines)


def test_the_ending_shows_what_failed_first_and_the_verdict_last() -> None:
    shown = ending(passed(), failed(), skipped(), inconclusive())
    order = [shown.index(f"{one:<13}MT") for one in ("FAIL", "INCONCLUSIVE", "SKIPPED", "PASS")]
    assert order == sorted(order)
    assert shown.index("Verdict:  FAIL") > max(order)


def test_the_ending_tells_cause_next_step_reports_and_how_to_run_it_again() -> None:
    shown = ending(failed())
    assert "  cause      late_write_resurrected, after release_pending_writes" in shown
    assert "  next       Find the code" in shown
    assert "Reports:  out: report.json, memtru.sarif, summary.md" in shown
    assert "Again:    again" in shown


def test_the_same_reason_of_several_scenarios_is_told_once() -> None:
    first, second = errored("MT-AF-001"), errored("MT-AF-002")
    assert ending(first, second).count(first.reason) == 1


def test_a_reason_of_several_lines_keeps_them_in_the_ending() -> None:
    result = errored().model_copy(update={"reason": "It ended.\nlog line 1\nlog line 2"})
    lines = [line.strip() for line in ending(result).splitlines()]
    assert (
        lines.index("log line 2") == lines.index("log line 1") + 1 == lines.index("It ended.") + 2
    )


def test_only_the_first_line_of_a_reason_is_told_while_a_run_goes_on() -> None:
    out = io.StringIO()
    PlainProgress(out).scenario_ended("MT-AF-001", Verdict.ERROR, "It ended.\nlog line 1")
    assert "log line" not in out.getvalue()


def test_a_run_in_which_something_was_tried_is_not_one_that_never_started() -> None:
    assert nothing_started(report(passed())) == ""


def test_a_short_window_is_not_told_as_none() -> None:
    out = io.StringIO()
    PlainProgress(out).window_open("MT-AF-001", "after_release", 0.4987)
    assert "looking, 0.5 s at most" in out.getvalue()


def test_the_same_error_of_several_scenarios_is_told_once_while_a_run_goes_on() -> None:
    out = io.StringIO()
    progress = PlainProgress(out)
    for scenario in ("MT-AF-001", "MT-AF-002"):
        progress.scenario_ended(scenario, Verdict.ERROR, "The target is not there.")
    assert out.getvalue().count("The target is not there.") == 1
    assert "MT-AF-002  as above" in out.getvalue()


@pytest.mark.parametrize("text", ["::error::x", "word " * 13 + "::error::x", "##[error]x"])
def test_no_line_is_a_command_to_the_runner_also_after_wrapping(text: str) -> None:
    lines = hung("  head  ", text, 60) + hung("", text, 60)
    assert "".join(lines).count("error") == 2
    assert not [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
