"""How a trial looks: watches become events, and what they prove is kept."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.legible import listed
from memtru_ci.domain.looking import MODEL_PROMPT, SEARCH, controls_of, first_sighting, settled_row
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.timeline import Action, Look, Manner, Outcome, Phase, Watch
from memtru_ci.trial.autopsy import cause_of_death
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.surfaces import SILENT, Surfaces
from memtru_ci.watch import Watcher

if TYPE_CHECKING:
    from memtru_ci.trial.stage import Stage

How = Callable[[Watcher], Awaitable[Watch]]


class Watching:
    """Looks for one trial, on its stage."""

    def __init__(self, stage: "Stage", tick: Callable[[str, float], None]) -> None:
        self._stage = stage
        self._tick = tick

    async def observe(self, action: Action, manner: Manner) -> Watch:
        """Watch the marker's surfaces after an event and record what was seen."""
        stage = self._stage
        watcher = self._watcher(action, lambda: stage.surfaces.look(*stage.pair))
        phase = _PHASES.get(action, Phase.OBSERVE)
        watch, started_ms = await self._watched(
            watcher, phase, action, lambda: self._looked(watcher, manner)
        )
        if manner is Manner.CONTROL:
            stage.controls = controls_of(watch.looks)
        self._take_in(watch)
        self._record(phase, action, _describe(watch), started_ms, watch)
        return watch

    async def expect(self, action: Action, phase: Phase, expected: Marker, namespace: str) -> bool:
        """Look on search until something is there, or one window is over."""
        stage = self._stage
        watch = await self.aside(
            action,
            phase,
            namespace,
            (stage.pair[0], expected),
            lambda watcher: watcher.glance() if stage.reappeared else watcher.until_expected(),
            lambda found: "it is retrievable" if found else "it never became retrievable",
        )
        return _shows_expected(watch)

    async def aside(
        self,
        action: Action,
        phase: Phase,
        namespace: str,
        pair: tuple[Marker, Marker],
        how: How,
        describe: Callable[[bool], str],
    ) -> Watch:
        """Look for another pair than the trial's, on search only; often in another namespace.

        `describe` is told whether the second of the pair was seen.
        """
        stage = self._stage
        surfaces = Surfaces(lambda: stage.service, stage.offer, stage.journal, namespace)
        watcher = self._watcher(action, lambda: surfaces.look(*pair, only=SEARCH))
        watch, started_ms = await self._watched(watcher, phase, action, lambda: how(watcher))
        if namespace == stage.namespace:
            self._take_in(watch)
        self._record(phase, action, describe(_shows_expected(watch)), started_ms, watch)
        return watch

    async def _watched(
        self, watcher: Watcher, phase: Phase, action: Action, look: Callable[[], Awaitable[Watch]]
    ) -> tuple[Watch, float]:
        started_ms = self._stage.journal.now_ms()
        with self._kept_if_cut_short(phase, action, watcher, started_ms):
            return await look(), started_ms

    async def _looked(self, watcher: Watcher, manner: Manner) -> Watch:
        stage = self._stage
        match manner:
            case Manner.CONTROL:
                return await watcher.control(
                    lambda: frozenset(stage.surfaces.names) - {MODEL_PROMPT}
                )
            case Manner.SETTLE:
                return await watcher.settle(stage.controls)
            case Manner.WATCH if not stage.reappeared:
                return await watcher.watch(stage.controls, stage.conclusive_from_ms)
            case Manner.WATCH_WHOLE:
                return await watcher.watch_whole(stage.controls)
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

    def _take_in(self, watch: Watch) -> None:
        stage = self._stage
        if stage.absence_proven and first_sighting(watch.looks, stage.conclusive_from_ms):
            stage.reappeared = True
        if settled_row(watch.looks, stage.controls) and stage.was_acknowledged:
            stage.absence_proven = True

    def _watcher(self, action: Action, look: Callable[[], Awaitable[Look]]) -> Watcher:
        stage = self._stage
        return Watcher(
            look=look,
            clock=stage.clock,
            now_ms=stage.journal.now_ms,
            window_ms=stage.window_ms,
            tick=lambda left_s: self._tick(action.value, left_s),
            stop_early=self._is_pointless,
        )

    async def _is_pointless(self, look: Look) -> bool:
        """Whether the target died, or search turned out not to be offered."""
        stage = self._stage
        if not stage.offer.has(Capability.MEMORY_SEARCH):
            stage.missing = (Capability.MEMORY_SEARCH.value,)
            return True
        if all(one.outcome in SILENT for one in look.readings):
            stage.death = await cause_of_death(stage.instance)
        return bool(stage.death)

    def _record(
        self, phase: Phase, action: Action, detail: str, started_ms: float, watch: Watch
    ) -> None:
        self._event_of(phase, action, detail, started_ms, watch)
        if self._stage.death or self._stage.missing:
            raise TrialOver

    def _event_of(
        self, phase: Phase, action: Action, detail: str, started_ms: float, watch: Watch
    ) -> None:
        stage = self._stage
        steps = sorted(
            step for look in watch.looks for one in look.readings for step in one.evidence_steps
        )
        stage.journal.record(
            phase,
            action,
            stage.death or detail,
            started_ms,
            outcome=Outcome.TARGET_LOST if stage.death else Outcome.DONE,
            evidence_steps=tuple(steps),
            watch=watch,
        )


_PHASES = {
    Action.CONFIRM_RETRIEVABLE: Phase.POSITIVE_CONTROL,
    Action.IMMEDIATE_CHECK: Phase.IMMEDIATE_CHECK,
}


def _shows_expected(watch: Watch) -> bool:
    return any(one.bystander for look in watch.looks for one in look.readings)


def _describe(watch: Watch) -> str:
    ends_with_last = watch.manner in (Manner.CONTROL, Manner.SETTLE)
    looks = watch.looks[-1:] if ends_with_last else watch.looks
    seen = sorted({one.surface for look in looks for one in look.readings if one.marker})
    if seen:
        return f"marker visible on {listed(seen)}"
    return "marker absent from every checked surface"
