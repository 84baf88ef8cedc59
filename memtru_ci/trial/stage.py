"""Where a trial acts: calls become events, looks become watches, failures end the trial."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import (
    FIRST_LOOK_MS,
    SEARCH,
    Controls,
    controls_of,
    first_sighting,
    settled_row,
)
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.timeline import Action, Look, Manner, Outcome, Phase, Watch
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Answer, Clock, Instance, MemoryService
from memtru_ci.trial.autopsy import cause_of_death
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.surfaces import SILENT, Surfaces, outcome_of
from memtru_ci.trial.tracked import Tracked, kept_of
from memtru_ci.watch import Watcher

T = TypeVar("T")


class TrialOver(Exception):
    """The rest of the trial is pointless; its events say why."""


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
        self.tracked = Tracked()
        self.missing: tuple[str, ...] = ()
        self.notes: list[str] = []
        self.death = ""
        self.controls = Controls()
        self.absence_proven = False
        self.reappeared = False
        self._clock = clock
        self.window_ms = window_ms
        self._consistency_window_ms = consistency_window_ms
        self._acknowledged_ms: float | None = None
        self._tick = tick

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
        self._track_created(namespace or self.namespace, receipt)
        self.journal.record(
            phase,
            action,
            describe(answer.value),
            started_ms,
            evidence_steps=answer.steps,
            receipt=receipt and kept_of(receipt),
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
        await self._clock.sleep(FIRST_LOOK_MS / 1000)

    def acknowledged(self) -> None:
        """The delete, or the last policy event, was acknowledged just now."""
        self._acknowledged_ms = self.journal.now_ms()

    async def await_consistency(self) -> None:
        """Wait until what was acknowledged has to be seen, by the service's own promise."""
        if self._acknowledged_ms is not None and self._consistency_window_ms:
            left_ms = self._conclusive_from_ms - self.journal.now_ms()
            await self._clock.sleep(max(0.0, left_ms) / 1000)

    def _track_created(self, namespace: str, receipt: HookReceipt | None) -> None:
        for one in receipt.created if receipt else ():
            self.tracked.add(namespace, one.kind, one.id)

    # --- looks --------------------------------------------------------------------------------

    async def observe(self, action: Action, manner: Manner) -> Watch:
        """Watch the marker's surfaces after an event and record what was seen."""
        watcher = self._watcher(action, lambda: self.surfaces.look(*self.pair))
        started_ms = self.journal.now_ms()
        phase = _PHASES.get(action, Phase.OBSERVE)
        with self._kept_if_cut_short(phase, action, watcher, started_ms):
            watch = await self._looked(watcher, manner)
        if manner is Manner.CONTROL:
            self.controls = controls_of(watch.looks)
        self._take_in(watch)
        self._record_watch(phase, action, _describe(watch), started_ms, watch)
        return watch

    async def _looked(self, watcher: Watcher, manner: Manner) -> Watch:
        match manner:
            case Manner.CONTROL:
                return await watcher.control(lambda: frozenset(self.surfaces.names))
            case Manner.SETTLE:
                return await watcher.settle(self.controls)
            case Manner.WATCH if not self.reappeared:
                return await watcher.watch(self.controls, self._conclusive_from_ms)
            case Manner.WATCH_WHOLE:
                return await watcher.watch_whole(self.controls)
            case _:
                return await watcher.glance()

    @contextmanager
    def _kept_if_cut_short(
        self, phase: Phase, action: Action, watcher: Watcher, started_ms: float
    ) -> Iterator[None]:
        """Record what was seen so far where the run is cancelled: it may prove a reappearance."""
        try:
            yield
        except anyio.get_cancelled_exc_class():
            if watcher.seen is not None and watcher.seen.looks:
                self._event_of(phase, action, "cut short", started_ms, watcher.seen)
            raise

    async def expect(self, action: Action, phase: Phase, expected: Marker, namespace: str) -> bool:
        """Look on search until something is there, or one window is over."""
        surfaces = Surfaces(lambda: self.service, self.offer, self.journal, namespace)
        watcher = self._watcher(action, lambda: surfaces.look(self.pair[0], expected, only=SEARCH))
        started_ms = self.journal.now_ms()
        with self._kept_if_cut_short(phase, action, watcher, started_ms):
            again = watcher.glance if self.reappeared else watcher.until_expected
            watch = await again()
        found = any(one.bystander for look in watch.looks for one in look.readings)
        if namespace == self.namespace:
            self._take_in(watch)
        detail = "it is retrievable" if found else "it never became retrievable"
        self._record_watch(phase, action, detail, started_ms, watch)
        return found

    pair: tuple[Marker, Marker]
    """The marker and the bystander; set by the trial."""

    @property
    def _conclusive_from_ms(self) -> float:
        acknowledged = float("inf") if self._acknowledged_ms is None else self._acknowledged_ms
        return acknowledged + self._consistency_window_ms

    def _take_in(self, watch: Watch) -> None:
        if self.absence_proven and first_sighting(watch.looks, self._conclusive_from_ms):
            self.reappeared = True
        if settled_row(watch.looks, self.controls) and self._acknowledged_ms is not None:
            self.absence_proven = True

    def _watcher(self, action: Action, look: Callable[[], Awaitable[Look]]) -> Watcher:
        return Watcher(
            look=look,
            clock=self._clock,
            now_ms=self.journal.now_ms,
            window_ms=self.window_ms,
            tick=lambda left_s: self._tick(action.value, left_s),
            stop_early=self._is_pointless,
        )

    async def _is_pointless(self, look: Look) -> bool:
        """Whether the target died, or search turned out not to be offered."""
        if not self.offer.has(Capability.MEMORY_SEARCH):
            self.missing = (Capability.MEMORY_SEARCH.value,)
            return True
        if all(one.outcome in SILENT for one in look.readings):
            self.death = await cause_of_death(self.instance)
        return bool(self.death)

    def _record_watch(
        self, phase: Phase, action: Action, detail: str, started_ms: float, watch: Watch
    ) -> None:
        self._event_of(phase, action, detail, started_ms, watch)
        if self.death or self.missing:
            raise TrialOver

    def _event_of(
        self, phase: Phase, action: Action, detail: str, started_ms: float, watch: Watch
    ) -> None:
        steps = sorted(
            step for look in watch.looks for one in look.readings for step in one.evidence_steps
        )
        self.journal.record(
            phase,
            action,
            self.death or detail,
            started_ms,
            outcome=Outcome.TARGET_LOST if self.death else Outcome.DONE,
            evidence_steps=tuple(steps),
            watch=watch,
        )


_PHASES = {
    Action.CONFIRM_RETRIEVABLE: Phase.POSITIVE_CONTROL,
    Action.IMMEDIATE_CHECK: Phase.IMMEDIATE_CHECK,
}


def _did_something(action: Action, receipt: HookReceipt) -> bool:
    releases = (Action.RELEASE_PENDING_WRITES, Action.CONTROL_RELEASE)
    return receipt.executed and not (action in releases and not receipt.processed)


def _describe(watch: Watch) -> str:
    ends_with_last = watch.manner in (Manner.CONTROL, Manner.SETTLE)
    looks = watch.looks[-1:] if ends_with_last else watch.looks
    seen = sorted({one.surface for look in looks for one in look.readings if one.marker})
    if seen:
        return f"marker visible on {', '.join(seen)}"
    return "marker absent from every checked surface"
