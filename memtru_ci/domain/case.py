"""A record under a promise, with what follows from its looks; and what a judgement is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from memtru_ci.domain.holding import SERVICE_HOOK, mechanism_of
from memtru_ci.domain.looking import Controls, controls_of, moment, settled_row
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import CONTROLS, Action, Event, Manner, Outcome
from memtru_ci.domain.verdict import Cause, Trigger, Verdict

DELETES = (Action.DELETE, Action.DELETE_THREAD)
TRIGGERS = {
    Action.RELEASE_PENDING_WRITES: Trigger.RELEASE_PENDING_WRITES,
    Action.START_SESSION: Trigger.START_SESSION,
    Action.CONSOLIDATE: Trigger.CONSOLIDATE,
    Action.RESTART: Trigger.RESTART,
}


@dataclass(frozen=True)
class Judgement:
    """A verdict, why, and what it hangs on."""

    verdict: Verdict
    reason: str
    cause: Cause | None = None
    deciding_event: int | None = None
    trigger: Trigger | None = None


@dataclass(frozen=True)
class Case:
    """A record under a promise, with what follows from its looks."""

    promise: Promise
    record: Record

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return self.record.events

    @cached_property
    def controls(self) -> Controls:
        """What the surfaces showed before the first delete."""
        sent = [one.started_ms for one in self.record.of(*DELETES)]
        return controls_of(
            look
            for event in self.record.of(Action.CONFIRM_RETRIEVABLE)
            for look in (event.watch.looks if event.watch else ())
            if look.started_ms <= min(sent, default=look.started_ms)
        )

    @cached_property
    def delete(self) -> Event | None:
        """The delete that was acknowledged last."""
        done = [
            one
            for one in self.record.of(*DELETES)
            if one.outcome is Outcome.DONE and (one.receipt is None or one.receipt.executed)
        ]
        return done[-1] if done else None

    @property
    def conclusive_from_ms(self) -> float:
        """Sooner than this a sighting proves nothing: the service's own consistency window."""
        acknowledged = self.delete.ended_ms if self.delete else float("inf")
        return moment(acknowledged + self.record.consistency_window_ms)

    @cached_property
    def absence(self) -> tuple[Event, float] | None:
        """The event in which the absence was proven, and when the proof was whole."""
        for event in self.record.of(Action.IMMEDIATE_CHECK, Action.AFTER_DELETE):
            row = settled_row(event.watch.looks, self.controls) if event.watch else ()
            if row and self.delete and row[0].started_ms >= self.delete.ended_ms:
                return event, row[-1].started_ms
        return None

    def first_with(self, outcome: Outcome) -> Event | None:
        """The first event that ended this way."""
        return next((one for one in self.events if one.outcome is outcome), None)

    def watched(self) -> Iterator[Event]:
        """The events that watched surfaces over a window."""
        for event in self.events:
            is_watch = event.watch and event.watch.manner in (Manner.WATCH, Manner.WATCH_WHOLE)
            if is_watch and event.action not in CONTROLS:
                yield event

    @cached_property
    def mechanism(self) -> str | None:
        """What held the write; null where none was held."""
        begun = self.record.of(Action.BEGIN_PENDING_WRITE)
        if not begun:
            return None
        kept = [one for one in self.record.evidence if one.step in begun[0].evidence_steps]
        return mechanism_of(kept[-1]) if kept else SERVICE_HOOK

    @property
    def is_held_by_gate(self) -> bool:
        """Whether a write was held, and not by the service's own hook."""
        return self.mechanism not in (None, SERVICE_HOOK)

    def was_cut_short(self, event: Event) -> bool:
        """Whether the trial was stopped from outside during this event."""
        acted = self.record.acted
        return bool(self.record.stopped and acted) and event is acted[-1]


def error(event: Event, cause: Cause, reason: str) -> Judgement:
    """ERROR, for what an event shows."""
    return Judgement(Verdict.ERROR, reason, cause, event.seq)


def inconclusive(event: Event | None, cause: Cause, reason: str) -> Judgement:
    """INCONCLUSIVE, for what an event shows, or for what is not there at all."""
    return Judgement(Verdict.INCONCLUSIVE, reason, cause, event.seq if event else None)
