"""Keeps what one trial did and saw: events in order, exchanges as evidence."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.reduction import WHOLE_BYTES, reduce_answer
from memtru_ci.domain.timeline import Action, Event, Phase
from memtru_ci.ports import Clock

Told = TypeVar("Told", Event, Exchange)

EVIDENCE_BUDGET_BYTES = 16 * 1024 * 1024


class Journal:
    """The record of one trial while it grows; an `ExchangeLog`.

    Beyond its budget it keeps of an answer only what shows one of the trial's secrets.
    """

    def __init__(
        self, clock: Clock, secrets: Sequence[str], on_event: Callable[[Event], None]
    ) -> None:
        self._clock = clock
        self._began = clock.now()
        self._secrets = tuple(secrets)
        self._on_event = on_event
        self._events: list[Event] = []
        self._exchanges: dict[int, Exchange] = {}
        self._steps = 0
        self._kept_bytes = 0
        self.step_number = 0
        self.step_texts: list[str] = []

    @property
    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(self._events)

    @property
    def evidence(self) -> tuple[Exchange, ...]:
        """All exchanges, in the order they began."""
        return tuple(self._exchanges[step] for step in sorted(self._exchanges))

    def now_ms(self) -> float:
        """Milliseconds since the trial began, to the microsecond."""
        return round((self._clock.now() - self._began) * 1000, 3)

    def next_step(self) -> int:
        """The number of the exchange that begins now."""
        self._steps += 1
        return self._steps

    def keep(self, exchange: Exchange) -> None:
        """Keep a finished exchange, its answer reduced where it is large."""
        limit = WHOLE_BYTES if self._kept_bytes < EVIDENCE_BUDGET_BYTES else 0
        answer, reduced = reduce_answer(exchange.answer, self._secrets, limit)
        kept = exchange.model_copy(
            update={"answer": answer, "reduced": reduced or exchange.reduced}
        )
        self._kept_bytes += len(repr(answer))
        self._exchanges[exchange.step] = kept

    def span(self, steps: Sequence[int]) -> tuple[float, float] | None:
        """When the first of these exchanges began and the last ended; null where none is kept."""
        kept = [self._exchanges[step] for step in steps if step in self._exchanges]
        return (kept[0].started_ms, kept[-1].ended_ms) if kept else None

    def take_over(self, other: "Journal", event: Event, shift_ms: float) -> Event:
        """Add an event of another trial, with its exchanges; `shift_ms` is between their clocks."""
        steps = []
        for step in event.evidence_steps:
            if step in other._exchanges:
                steps.append(self.next_step())
                self._exchanges[steps[-1]] = _moved(
                    other._exchanges[step], shift_ms, step=steps[-1]
                )
        taken = _moved(
            event,
            shift_ms,
            seq=len(self._events) + 1,
            step=self.step_number,
            evidence_steps=tuple(steps),
        )
        self._events.append(taken)
        return taken

    def begin_step(self, text: str) -> None:
        """Go on to the scenario's next numbered step."""
        self.step_number += 1
        self.step_texts.append(text)

    def record(
        self, phase: Phase, action: Action, detail: str, started_ms: float, **facts: Any
    ) -> Event:
        """Add an event that ended now."""
        event = Event(
            seq=len(self._events) + 1,
            step=self.step_number,
            phase=phase,
            action=action,
            detail=detail,
            started_ms=started_ms,
            ended_ms=self.now_ms(),
            **facts,
        )
        self._events.append(event)
        self._on_event(event)
        return event


def _moved(told: Told, shift_ms: float, **changed: Any) -> Told:
    """The same at the times of another clock."""
    times = {
        "started_ms": round(told.started_ms + shift_ms, 3),
        "ended_ms": round(told.ended_ms + shift_ms, 3),
    }
    return told.model_copy(update=times | changed)
