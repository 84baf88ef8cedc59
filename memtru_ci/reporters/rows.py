"""The timeline of a result as rows, the same for every document that shows it."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtru_ci.domain.report import AfterlifeEvent, ScenarioResult
from memtru_ci.domain.timeline import Action, Event, Manner, Watch

_OTHER_MARKERS = (Action.CONFIRM_INGESTED, Action.CONFIRM_HOLD, Action.FIND_DERIVED)
"""Events that look for another marker than the one that was deleted."""


@dataclass(frozen=True)
class Row:
    """One event. `visible` is None where no surface was read."""

    seq: int
    phase: str
    action: str
    detail: str
    elapsed_ms: int
    visible: bool | None
    surfaces: tuple[str, ...]
    step: int | None
    decides: bool


def rows_of(result: ScenarioResult) -> list[Row]:
    """The rows of a result, from its `afterlife` object or else from its record."""
    return list(_rows(result))


def _rows(result: ScenarioResult) -> Iterator[Row]:
    decided_by = result.deciding_event
    if result.afterlife is not None:
        yield from (_of_afterlife(event, decided_by) for event in result.afterlife.events)
    elif result.record is not None:
        yield from (_of_record(event, decided_by) for event in result.record.events)


def _of_afterlife(event: AfterlifeEvent, decided_by: int | None) -> Row:
    return Row(
        seq=event.seq,
        phase=event.phase,
        action=event.action,
        detail=event.detail,
        elapsed_ms=event.elapsed_ms,
        visible=event.marker_visible,
        surfaces=tuple(event.surfaces or ()),
        step=event.evidence_step,
        decides=event.seq == decided_by,
    )


def _of_record(event: Event, decided_by: int | None) -> Row:
    surfaces = _seen_on(event.watch) if _looks_for_marker(event) and event.watch else ()
    return Row(
        seq=event.seq,
        phase=event.phase.value,
        action=event.action.value,
        detail=event.detail,
        elapsed_ms=round(event.ended_ms),
        visible=bool(surfaces) if _looks_for_marker(event) else None,
        surfaces=surfaces,
        step=event.evidence_steps[0] if event.evidence_steps else None,
        decides=event.seq == decided_by,
    )


def _looks_for_marker(event: Event) -> bool:
    return event.watch is not None and event.action not in _OTHER_MARKERS


def _seen_on(watch: Watch) -> tuple[str, ...]:
    """Surfaces that showed the marker; where looks go on until something holds, at the last."""
    ends_with_last = watch.manner in (Manner.CONTROL, Manner.SETTLE)
    looks = watch.looks[-1:] if ends_with_last else watch.looks
    seen = {reading.surface: None for look in looks for reading in look.readings if reading.marker}
    return tuple(seen)
