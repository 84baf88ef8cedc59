"""What looks prove: which of them count, when an absence is settled, whether a window is covered.

The rules are those of the scenario catalogue (4 to 7). The watch uses them to know when to stop,
the judge to know what was proven; both from the same looks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from memtru_ci.domain.timeline import Look, Outcome, Reading, Watch

SEARCH = "search"
MODEL_PROMPT = "model_prompt"
"""What the model is shown, by the model stand-in; it needs no bystander (rule 19)."""

SETTLING_LOOKS = 3
SETTLING_MS = 300.0
COUNTING_LOOKS = 8
FIRST_LOOK_MS = 50.0
LOOK_GROWTH = 1.6
LONGEST_PAUSE_MS = 1000.0
LONGEST_GAP_MS = 1500.0
CLOSING_RETRY_MS = 1500.0
LAST_CHANCE_MS = 1000.0
LATENESS_MS = 100.0
"""By how much each look may be late on a busy machine before looks are held to be missing."""


def moment(ms: float) -> float:
    """A sum of times to the microsecond, as journals tell time: else 0.1 + 0.2 comes after 0.3."""
    return round(ms, 3)


def due_offset(number: int) -> float:
    """When the look of this number (from 0) is due after the window began, milliseconds.

    50 ms x 1.6^n, and at most 1 s after the look before it (catalogue, rule 7).
    """
    due = 0.0
    for index in range(number):
        grown = FIRST_LOOK_MS * LOOK_GROWTH ** min(index, 64)
        due = min(grown, due + LONGEST_PAUSE_MS)
    return due


def looks_due(window_ms: float, look_ms: float) -> int:
    """For how many looks of this length a window leaves time, the closing look among them.

    No more are counted than a window needs.
    """
    started, made = 0.0, 1
    while started < window_ms and made < COUNTING_LOOKS:
        next_ms = max(due_offset(made), started + look_ms)
        started = min(next_ms, window_ms) if started + look_ms < window_ms else next_ms
        made += 1
    return made


@dataclass(frozen=True)
class Controls:
    """What each surface showed before the delete."""

    proven: frozenset[str] = field(default_factory=frozenset)
    """Surfaces that showed marker and bystander in one look: their silence means something."""
    with_bystander: frozenset[str] = field(default_factory=frozenset)
    """Surfaces that showed the bystander; `search` always has to."""

    def counts(self, reading: Reading) -> bool:
        """Whether the reading can stand for an absence."""
        needs_bystander = reading.surface == SEARCH or reading.surface in self.with_bystander
        return reading.outcome is Outcome.DONE and (reading.bystander or not needs_bystander)

    def look_counts(self, look: Look) -> bool:
        """Whether the look counts on every surface, and reads each that has to show something."""
        read = {one.surface for one in look.readings}
        whole = {SEARCH, *self.proven, *self.with_bystander} <= read
        return whole and all(self.counts(one) for one in look.readings)


def controls_of(looks: Iterable[Look]) -> Controls:
    """The controls that the looks before a delete give."""
    readings = [one for look in looks for one in look.readings if one.outcome is Outcome.DONE]
    return Controls(
        proven=frozenset(
            one.surface
            for one in readings
            if one.marker and (one.bystander or one.surface == MODEL_PROMPT)
        ),
        with_bystander=frozenset(
            one.surface for one in readings if one.bystander and one.surface != MODEL_PROMPT
        ),
    )


def visible_on(look: Look) -> tuple[str, ...]:
    """The surfaces that showed the marker in a look."""
    return tuple(one.surface for one in look.readings if one.marker)


def longest_gap_allowed(window_ms: float) -> float:
    """The longest gap between counting looks that a window may have, milliseconds."""
    return max(LONGEST_GAP_MS, window_ms / 4)


def settled_row(looks: Iterable[Look], controls: Controls) -> tuple[Look, ...]:
    """The first row of looks that proves an absence; empty where there is none.

    Three counting looks in a row, over at least 300 ms, that show the marker on no surface.
    """
    row: list[Look] = []
    for look in looks:
        if not controls.look_counts(look) or visible_on(look):
            row.clear()
            continue
        row.append(look)
        if len(row) >= SETTLING_LOOKS and look.started_ms - row[0].started_ms >= SETTLING_MS:
            return tuple(row)
    return ()


def opening_look(watch: Watch, controls: Controls) -> Look | None:
    """The first look that counts on every surface, within one window after the event.

    The window, and its schedule, begin with it.
    """
    latest = moment(watch.since_ms + watch.window_ms)
    counting = (look for look in watch.looks if controls.look_counts(look))
    first = next(counting, None)
    return first if first is not None and first.started_ms <= latest else None


@dataclass(frozen=True)
class Coverage:
    """How well the looks of one watch cover its window on one surface."""

    surface: str
    made: int
    counted: int
    largest_gap_ms: float | None
    closing_ms: float | None
    """Start of the closing counting look, since the window began; null where there is none."""
    longest_look_ms: float = 0.0

    def is_whole(self, window_ms: float) -> bool:
        """Whether the window was watched as rule 7 asks."""
        due = looks_due(window_ms, self.longest_look_ms + LATENESS_MS)
        all_counted = self.counted == self.made >= due
        enough = self.counted >= COUNTING_LOOKS or all_counted
        closed = self.closing_ms is not None
        dense = self.largest_gap_ms is not None and (
            self.largest_gap_ms <= longest_gap_allowed(window_ms)
        )
        return enough and closed and dense


def coverage_of(watch: Watch, controls: Controls, surface: str) -> Coverage:
    """The coverage of one surface, from the look that opened the window on."""
    opening = opening_look(watch, controls)
    if opening is None:
        return Coverage(surface, len(watch.looks), 0, None, None)
    looks = [look for look in watch.looks if look.started_ms >= opening.started_ms]
    starts = [one.started_ms for one in _counting(looks, controls, surface)]
    end_ms = moment(opening.started_ms + watch.window_ms)
    late = [look for look in looks if look.started_ms >= end_ms]
    closing = next(_counting(_closing(late), controls, surface), None)
    gaps = [after - before for before, after in pairwise(starts)]
    return Coverage(
        surface=surface,
        made=len(looks),
        counted=len(starts),
        largest_gap_ms=max(gaps, default=0.0) if starts else None,
        closing_ms=None if closing is None else closing.started_ms - opening.started_ms,
        longest_look_ms=max(
            one.ended_ms - one.started_ms for look in looks for one in look.readings
        ),
    )


def closing_look(late: Sequence[Look], controls: Controls) -> Look | None:
    """The look that closes a window, of those at or after its end: the first that counts."""
    return next((look for look in _closing(late) if controls.look_counts(look)), None)


def _closing(late: Sequence[Look]) -> Sequence[Look]:
    """Those that may close a window: a failed closing look may be repeated within 1.5 s."""
    return [one for one in late if one.started_ms <= late[0].started_ms + CLOSING_RETRY_MS]


def _counting(looks: Iterable[Look], controls: Controls, surface: str) -> Iterator[Reading]:
    for look in looks:
        for reading in look.readings:
            if reading.surface == surface and controls.counts(reading):
                yield reading


def first_sighting(
    looks: Iterable[Look], not_before_ms: float, noted: frozenset[str] = frozenset()
) -> Reading | None:
    """The first reading that showed the marker and was sent no sooner than the given moment.

    On the `noted` surfaces a sighting is none.
    """
    readings = (one for look in looks for one in look.readings if one.surface not in noted)
    return next((one for one in readings if one.marker and one.started_ms >= not_before_ms), None)
