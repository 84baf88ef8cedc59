"""A run as it goes on, in the log of a step: a group for each scenario."""

from memtru_ci.domain.timeline import Event, Outcome
from memtru_ci.domain.verdict import Verdict
from memtru_ci.github.log import Log
from memtru_ci.reporters.words import SIGNS


class LogProgress:
    """Writes a line for every event, and where a watch begins."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._watched = ""

    def scenario_started(self, scenario: str, number: int, total: int) -> None:
        self._log.open_group(f"{scenario} ({number} of {total})")

    def event_recorded(self, scenario: str, event: Event) -> None:
        self._watched = ""
        bad = "" if event.outcome is Outcome.DONE else f"{event.outcome.value}: "
        seconds = event.ended_ms / 1000
        self._log.line(f"{seconds:8.2f} s  {event.action.value:<24} {bad}{event.detail}")

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        if action != self._watched:
            self._watched = action
            self._log.line(f"            {action:<24} looking, {left_s:.0f} s at most")

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None:
        self._log.close_group()
        self._log.line(f"{SIGNS[verdict]} {verdict.value} {scenario}: {reason}")
