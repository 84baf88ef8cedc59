"""Keeps secrets out of what is shown while a run goes on."""

from memtru_ci.domain.redaction import Redactor
from memtru_ci.domain.timeline import Event
from memtru_ci.domain.verdict import Verdict
from memtru_ci.ports import Progress


class DiscreetProgress:
    """Passes on what happens, with secrets redacted."""

    def __init__(self, progress: Progress, redactor: Redactor) -> None:
        self._progress = progress
        self._redactor = redactor

    def scenario_started(self, scenario: str, number: int, total: int) -> None:
        self._progress.scenario_started(scenario, number, total)

    def event_recorded(self, scenario: str, event: Event) -> None:
        self._progress.event_recorded(scenario, self._redactor.model(event))

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        self._progress.window_open(scenario, action, left_s)

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None:
        self._progress.scenario_ended(scenario, verdict, self._redactor.text(reason))
