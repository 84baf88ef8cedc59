"""One restart that several trials go through together, each with it on its own record."""

from memtru_ci.domain.timeline import Event, Outcome
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.restarting import Restarting
from memtru_ci.trial.stage import Stage


class SharedRestart:
    """Restarts the instance when the first trial asks for it; the others take over its record."""

    def __init__(self) -> None:
        self._first: Stage | None = None
        self._known = 0
        self._has_restarted = False

    async def go_through(self, stage: Stage) -> bool:
        """Whether the instance was restarted. Raises `TrialOver` where that failed."""
        if self._first is not None:
            return self._follow(stage, self._first)
        self._first, self._known = stage, len(stage.journal.events)
        self._has_restarted = await Restarting(stage).restart_if_supported()
        return self._has_restarted

    def _follow(self, stage: Stage, first: Stage) -> bool:
        shift_ms = stage.journal.now_ms() - first.journal.now_ms()
        taken = [
            stage.journal.take_over(first.journal, event, shift_ms)
            for event in first.journal.events[self._known :]
            if event.watch is None
        ]
        stage.death = first.death
        if not self._has_restarted and any(_is_failure(one) for one in taken):
            raise TrialOver
        stage.renew_service()
        if not self._has_restarted:
            stage.notes += first.notes
        return self._has_restarted


def _is_failure(event: Event) -> bool:
    has_run = event.receipt is None or event.receipt.executed
    return event.outcome not in (Outcome.DONE, Outcome.NOT_OFFERED) or not has_run
