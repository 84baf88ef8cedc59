"""Where a trial acts: calls become events, looks become watches, failures end the trial."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import FIRST_LOOK_MS, Controls
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.timeline import Action, Manner, Outcome, Phase, Watch
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Answer, Clock, Instance, MemoryService
from memtru_ci.trial.autopsy import cause_of_death
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.surfaces import SILENT, Surfaces, outcome_of
from memtru_ci.trial.tracked import Tracked
from memtru_ci.trial.watching import Watching

T = TypeVar("T")


class Stage:
    """What the verbs of a trial are made of.

    It knows whether the marker's absence was proven and whether it was seen again since: then the
    remaining events run with one look each.
    """

    def __init__(
        self,
        *,
        instance: Instance,
        offer: Offer,
        journal: Journal,
        clock: Clock,
        namespace: str,
        window_ms: int,
        consistency_window_ms: int,
        tick: Callable[[str, float], None],
    ) -> None:
        self.service: MemoryService = instance.service(journal)
        self.instance = instance
        self.offer = offer
        self.journal = journal
        self.namespace = namespace
        self.surfaces = Surfaces(lambda: self.service, offer, journal, namespace)
        self.watching = Watching(self, tick)
        self.tracked = Tracked()
        self.missing: tuple[str, ...] = ()
        self.notes: list[str] = []
        self.death = ""
        self.controls = Controls()
        self.absence_proven = False
        self.reappeared = False
        self.clock = clock
        self.window_ms = window_ms
        self.consistency_window_ms = consistency_window_ms
        self._acknowledged_ms: float | None = None

    # --- calls --------------------------------------------------------------------------------

    async def call(
        self,
        phase: Phase,
        action: Action,
        capability: Capability,
        operation: Callable[[], Awaitable[Answer[T]]],
        describe: Callable[[T], str],
        *,
        optional: bool = False,
        namespace: str | None = None,
        record_id: str | None = None,
    ) -> T | None:
        """Send one call and record it as an event.

        Null only where the call is optional and the service does not offer it. Ends the trial
        (`TrialOver`) where the call failed or a hook reported that it did not run.
        """
        started_ms = self.journal.now_ms()
        self.tracked.enter(namespace or self.namespace)
        try:
            answer = await operation()
        except ServiceError as problem:
            await self.fail(phase, action, capability, problem, started_ms, optional, record_id)
            return None
        self.offer.worked(capability)
        receipt = answer.value if isinstance(answer.value, HookReceipt) else None
        kept = receipt and self.tracked.take(namespace or self.namespace, receipt)
        self.journal.record(
            phase,
            action,
            describe(answer.value),
            started_ms,
            evidence_steps=answer.steps,
            receipt=kept,
            record_id=record_id,
        )
        if receipt is not None and not _did_something(action, receipt):
            await self.end_after_failure()
        return answer.value

    async def fail(
        self,
        phase: Phase,
        action: Action,
        capability: Capability,
        problem: ServiceError,
        started_ms: float,
        optional: bool = False,
        record_id: str | None = None,
    ) -> None:
        """Record a failed call; return only where the service need not offer it."""
        outcome = outcome_of(problem, self.offer, capability)
        detail = str(problem)
        if outcome in SILENT:
            self.death = await cause_of_death(self.instance)
        if self.death:
            outcome, detail = Outcome.TARGET_LOST, self.death
        self.journal.record(
            phase,
            action,
            detail,
            started_ms,
            outcome=outcome,
            evidence_steps=problem.steps,
            record_id=record_id,
        )
        if outcome is Outcome.NOT_OFFERED:
            if optional:
                return
            self.missing = (capability.value,)
        await self.end_after_failure()

    async def end_after_failure(self) -> None:
        """One more look where an absence was proven (a sighting is a FAIL), then the end."""
        if self.absence_proven and not self.death:
            await self.observe(Action.AFTER_FAILURE, Manner.GLANCE)
        raise TrialOver

    def renew_service(self) -> None:
        """Speak to the instance as it is after a restart: its address may be another one."""
        self.service = self.instance.service(self.journal)

    async def pause(self) -> None:
        """Wait as long as between the first two looks of a watch."""
        await self.clock.sleep(FIRST_LOOK_MS / 1000)

    def acknowledged(self) -> None:
        """The delete, or the last policy event, was acknowledged just now."""
        self._acknowledged_ms = self.journal.now_ms()

    async def await_consistency(self) -> None:
        """Wait until what was acknowledged has to be seen, by the service's own promise."""
        if self._acknowledged_ms is not None and self.consistency_window_ms:
            left_ms = self.conclusive_from_ms - self.journal.now_ms()
            await self.clock.sleep(max(0.0, left_ms) / 1000)

    @property
    def conclusive_from_ms(self) -> float:
        """Sooner than this a sighting proves nothing: the service's own consistency window."""
        acknowledged = float("inf") if self._acknowledged_ms is None else self._acknowledged_ms
        return acknowledged + self.consistency_window_ms

    @property
    def was_acknowledged(self) -> bool:
        """Whether a delete was acknowledged."""
        return self._acknowledged_ms is not None

    # --- looks --------------------------------------------------------------------------------

    pair: tuple[Marker, Marker]
    """The marker and the bystander; set by the trial."""

    async def observe(self, action: Action, manner: Manner) -> Watch:
        """Watch the marker's surfaces after an event and record what was seen."""
        return await self.watching.observe(action, manner)

    async def expect(self, action: Action, phase: Phase, expected: Marker, namespace: str) -> bool:
        """Look on search until something is there, or one window is over."""
        return await self.watching.expect(action, phase, expected, namespace)


def _did_something(action: Action, receipt: HookReceipt) -> bool:
    releases = (Action.RELEASE_PENDING_WRITES, Action.CONTROL_RELEASE)
    return receipt.executed and not (action in releases and not receipt.processed)
