"""The timeline of a result as rows, the same for every document that shows it."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtru_ci.domain.report import AfterlifeEvent, ScenarioResult
from memtru_ci.domain.telling import told


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
        yield from (_row(event, decided_by) for event in result.afterlife.events)
    elif result.record is not None:
        yield from (_row(told(event), decided_by) for event in result.record.events)


def _row(event: AfterlifeEvent, decided_by: int | None) -> Row:
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
