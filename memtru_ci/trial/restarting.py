"""The restart of a trial: by the gate where it can, else by the service's own hook."""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.timeline import Action, Outcome, Phase
from memtru_ci.errors import MemtruError, TargetError
from memtru_ci.trial.stage import Stage


class Restarting:
    """Restarts the isolated instance and records what was measured."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def restart_if_supported(self) -> bool:
        """Restart the isolated instance, where that can be done; whether it was restarted."""
        stage = self._stage
        if stage.offer.can_restart:
            await self._restart_instance()
        elif stage.offer.has(Capability.LIFECYCLE_RESTART):
            receipt = await stage.call(
                Phase.LIFECYCLE,
                Action.RESTART,
                Capability.LIFECYCLE_RESTART,
                stage.service.restart,
                lambda done: done.detail or "the service restarted itself",
                optional=True,
            )
            if receipt is None:
                return self._left_out()
        else:
            return self._left_out()
        return True

    def _left_out(self) -> bool:
        why = self._stage.offer.why_no_restart
        self._stage.notes.append(f"The restart step was left out: {why}.")
        return False

    async def _restart_instance(self) -> None:
        stage = self._stage
        started_ms = stage.journal.now_ms()
        try:
            receipt = await stage.instance.restart()
        except MemtruError as problem:
            lost = isinstance(problem, TargetError)
            stage.death = str(problem) if lost else ""
            stage.journal.record(
                Phase.LIFECYCLE,
                Action.RESTART,
                str(problem),
                started_ms,
                outcome=Outcome.TARGET_LOST if lost else Outcome.NO_ANSWER,
            )
            await stage.end_after_failure()
        else:
            stage.renew_service()
            detail = f"{receipt.provider} restarted, ready after {receipt.ready_ms:.0f} ms"
            stage.journal.record(
                Phase.LIFECYCLE, Action.RESTART, detail, started_ms, restart=receipt
            )
