"""Shows a run while it goes on: a moving line on a terminal, plain lines anywhere else."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from memtru_ci.cli.layout import hung, width_of
from memtru_ci.domain.timeline import Event, Outcome
from memtru_ci.domain.verdict import Verdict
from memtru_ci.ports import Progress
from memtru_ci.reporters.text import terminal_safe

if TYPE_CHECKING:
    from rich.live import Live

STYLES = {
    Verdict.PASS: "bold green",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.INCONCLUSIVE: "bold yellow",
    Verdict.SKIPPED: "dim",
}


@contextmanager
def watching(*, quiet: bool = False, stream: TextIO | None = None) -> Iterator[Progress]:
    """The progress for this process's standard error, or for another stream."""
    out = stream or sys.stderr
    if quiet:
        yield SilentProgress()
    elif _can_move(out):
        with _moving(out) as progress:
            yield progress
    else:
        yield PlainProgress(out)


class SilentProgress:
    """Shows nothing."""

    def scenario_started(self, scenario: str, number: int, total: int) -> None: ...

    def event_recorded(self, scenario: str, event: Event) -> None: ...

    def window_open(self, scenario: str, action: str, left_s: float) -> None: ...

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None: ...


class PlainProgress:
    """A line for every event, and one where a watch begins."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._watched = ""
        self._told = ""

    def scenario_started(self, scenario: str, number: int, total: int) -> None:
        self._line(f"[{number}/{total}] {scenario}", "")

    def event_recorded(self, scenario: str, event: Event) -> None:
        self._watched = ""
        self._line(*event_columns(event))

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        if action != self._watched:
            self._watched = action
            self._line(f"            {action:<23} ", f"looking, {round(left_s, 1):g} s at most")

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None:
        is_told = verdict is Verdict.ERROR and reason == self._told
        self._told = reason
        self._line(f"  {verdict}  {scenario}  ", "as above" if is_told else first_line(reason))

    def _line(self, head: str, text: str) -> None:
        for line in hung(head, terminal_safe(text), width_of(self._out)):
            print(line, file=self._out)
        self._out.flush()


class MovingProgress:
    """Lines for what is done, and below them one that moves: what goes on, and how long yet."""

    def __init__(self, live: "Live", out: TextIO) -> None:
        self._live = live
        self._out = out
        self._now = ""
        self._told = ""

    def scenario_started(self, scenario: str, number: int, total: int) -> None:
        self._now = f"[{number}/{total}] {scenario}"
        self._print(self._now, "", "bold")
        self._move("starting")

    def event_recorded(self, scenario: str, event: Event) -> None:
        is_bad = event.outcome is not Outcome.DONE
        self._move(f"after {event.action}")
        self._print(*event_columns(event), "yellow" if is_bad else "")

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        self._move(f"{action}: {max(0.0, left_s):.1f} s of the window left")

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None:
        is_told = verdict is Verdict.ERROR and reason == self._told
        self._told = reason
        self._move("")
        text = "as above" if is_told else first_line(reason)
        self._print(f"  {verdict}  {scenario}  ", text, STYLES[verdict])

    def _print(self, head: str, text: str, style: str) -> None:
        from rich.text import Text

        for line in hung(head, terminal_safe(text), width_of(self._out)):
            self._live.console.print(Text(line, style), soft_wrap=True)

    def _move(self, what: str) -> None:
        from rich.text import Text

        self._live.update(
            Text(f"{self._now}  {what}".strip(), "cyan", no_wrap=True, overflow="ellipsis")
        )


def first_line(text: str) -> str:
    """What is told at once; the rest comes with the ending."""
    return next(iter(text.splitlines()), "")


def event_columns(event: Event) -> tuple[str, str]:
    """When and what, and in which words."""
    bad = "" if event.outcome is Outcome.DONE else f"{event.outcome}: "
    return f"  {event.ended_ms / 1000:7.2f} s {event.action:<23} ", f"{bad}{event.detail}"


def _can_move(out: TextIO) -> bool:
    import os

    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


@contextmanager
def _moving(out: TextIO) -> Iterator[Progress]:
    from rich.console import Console
    from rich.live import Live

    console = Console(file=out, highlight=False, markup=False, emoji=False)
    live = Live(
        console=console,
        transient=True,
        refresh_per_second=8,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with live:
        yield MovingProgress(live, out)
