"""Looking at surfaces: when the next look is due, and when enough was seen."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memtru_ci.domain.looking import (
    CLOSING_RETRY_MS,
    FIRST_LOOK_MS,
    LAST_CHANCE_MS,
    LONGEST_PAUSE_MS,
    Controls,
    closing_look,
    controls_of,
    due_offset,
    first_sighting,
    moment,
    opening_look,
    settled_row,
    visible_on,
)
from memtru_ci.domain.timeline import Look, Manner, Watch
from memtru_ci.ports import Clock

LookOnce = Callable[[], Awaitable[Look]]
StopEarly = Callable[[Look], Awaitable[bool]]
Tick = Callable[[float], None]


@dataclass
class Watcher:
    """Looks again and again by the schedule, until a manner of looking has what it needs.

    `stop_early` is asked after each look whether going on makes no sense (the target is gone).
    """

    look: LookOnce
    clock: Clock
    now_ms: Callable[[], float]
    window_ms: int
    tick: Tick
    stop_early: StopEarly
    _at_it: "_Pace | None" = None

    @property
    def seen(self) -> Watch | None:
        """What the watch that is going on has seen so far."""
        return self._at_it.watch if self._at_it else None

    async def control(self, surfaces: Callable[[], frozenset[str]]) -> Watch:
        """Look until every surface has shown marker and bystander, or one window is over."""
        pace = self._pace(Manner.CONTROL)
        while not pace.stopped:
            await pace.look_when_due()
            if surfaces() <= controls_of(pace.looks).proven or pace.is_over(self.window_ms):
                break
        return pace.watch

    async def until_expected(self, for_ms: float | None = None) -> Watch:
        """Look until a look shows what is expected (`bystander`), or the time is over.

        That is one window if no other is given.
        """
        pace = self._pace(Manner.CONTROL)
        while not pace.stopped:
            await pace.look_when_due()
            if any(one.bystander for one in pace.looks[-1].readings):
                break
            if pace.is_over(self.window_ms if for_ms is None else for_ms):
                break
        return pace.watch

    async def settle(self, controls: Controls) -> Watch:
        """Look until an absence is proven; a row begun inside the window may be completed."""
        pace = self._pace(Manner.SETTLE)
        end_ms = moment(pace.since_ms + self.window_ms)
        pace.have_a_look_at(end_ms)
        while not pace.stopped:
            await pace.look_when_due()
            row = _row_at_end(pace.looks, controls)
            closing = next((one for one in pace.looks if one.started_ms >= end_ms), None)
            # The look at the window's end is its last: a row may begin with it.
            too_late = closing and not (row and row[0].started_ms <= closing.started_ms)
            if too_late or settled_row(pace.looks, controls):
                break
            if len(row) == 1 and (_was_visible(pace.looks) or row[0] is closing):
                pace.quicken()
        return pace.watch

    async def watch(self, controls: Controls, not_before_ms: float) -> Watch:
        """Look to the end of the window, or to the first sight of the marker that proves it back.

        `not_before_ms` is the moment before which a sighting proves nothing.
        """
        return await self._to_the_end(Manner.WATCH, controls, not_before_ms)

    async def watch_whole(self, controls: Controls) -> Watch:
        """Look to the end of the window whatever is seen, then at most 1 s more to settle."""
        return await self._to_the_end(Manner.WATCH_WHOLE, controls, None)

    async def glance(self) -> Watch:
        """Look once."""
        pace = self._pace(Manner.GLANCE)
        await pace.look_when_due()
        return pace.watch

    async def _to_the_end(
        self, manner: Manner, controls: Controls, not_before_ms: float | None
    ) -> Watch:
        pace = self._pace(manner)
        opened = False
        while not pace.stopped:
            await pace.look_when_due()
            if not_before_ms is not None and first_sighting(pace.looks[-1:], not_before_ms):
                break
            if not opened:
                opened = opening_look(pace.watch, controls) is not None
                if opened:
                    pace.begin_anew()
                elif pace.is_over(self.window_ms):
                    break
            elif self._has_ended(pace, controls):
                break
            pace.have_a_look_at(pace.origin_ms + self.window_ms)
        return pace.watch

    def _has_ended(self, pace: "_Pace", controls: Controls) -> bool:
        """Whether the closing look is there, or can not be had any more."""
        if not pace.is_over(self.window_ms):
            return False
        end_ms = moment(pace.origin_ms + self.window_ms)
        late = [look for look in pace.looks if look.started_ms >= end_ms]
        if len(late) == 1:
            pace.quicken()
        counts = controls.look_counts(late[-1])
        if not counts and closing_look(late, controls) is None:
            return pace.next_ms - late[0].started_ms > CLOSING_RETRY_MS
        if pace.manner is not Manner.WATCH_WHOLE or visible_on(late[-1]):
            return True
        return bool(settled_row(pace.looks, controls)) or pace.next_ms - end_ms > LAST_CHANCE_MS

    def _pace(self, manner: Manner) -> "_Pace":
        self._at_it = _Pace(self, manner, since_ms=self.now_ms())
        return self._at_it


def _row_at_end(looks: list[Look], controls: Controls) -> list[Look]:
    row: list[Look] = []
    for look in reversed(looks):
        if not controls.look_counts(look) or visible_on(look):
            break
        row.insert(0, look)
    return row


def _was_visible(looks: list[Look]) -> bool:
    return len(looks) >= 2 and bool(visible_on(looks[-2]))


class _Pace:
    """The schedule of one watch: sleeps until a look is due, and looks."""

    def __init__(self, watcher: Watcher, manner: Manner, since_ms: float) -> None:
        self.manner = manner
        self.since_ms = since_ms
        self.origin_ms = since_ms
        self.looks: list[Look] = []
        self.stopped = False
        self._watcher = watcher
        self._schedule_ms = since_ms
        self._number = 0
        self._wanted_ms: float | None = None

    @property
    def watch(self) -> Watch:
        """What was seen so far."""
        return Watch(
            manner=self.manner,
            window_ms=self._watcher.window_ms,
            since_ms=self.since_ms,
            looks=tuple(self.looks),
        )

    async def look_when_due(self) -> None:
        """Wait until the next look is due, look, and move on along the schedule."""
        watcher = self._watcher
        watcher.tick(max(0.0, self.origin_ms + watcher.window_ms - watcher.now_ms()) / 1000)
        await watcher.clock.sleep((self.next_ms - watcher.now_ms()) / 1000)
        look = await watcher.look()
        self.looks.append(look)
        self._number += 1
        self.stopped = await watcher.stop_early(look)

    def begin_anew(self) -> None:
        """Begin the window, and its schedule, with the last look."""
        self.origin_ms = self.looks[-1].started_ms
        self.quicken()

    def quicken(self) -> None:
        """Begin the schedule anew with the last look; the window stays."""
        self._schedule_ms = self.looks[-1].started_ms
        self._number = 1

    def have_a_look_at(self, moment_ms: float) -> None:
        """Look at this moment, whatever the schedule says."""
        self._wanted_ms = moment(moment_ms)

    def is_over(self, window_ms: float) -> bool:
        """Whether the last look began at the end of the window or later."""
        return self.looks[-1].started_ms >= moment(self.origin_ms + window_ms)

    @property
    def next_ms(self) -> float:
        """When the next look is due."""
        if not self.looks:
            return self.origin_ms
        last_ms = self.looks[-1].started_ms
        due = min(self._schedule_ms + due_offset(self._number), last_ms + LONGEST_PAUSE_MS)
        if self._wanted_ms is not None and last_ms < self._wanted_ms:
            due = min(due, self._wanted_ms)
        return due if due > last_ms else last_ms + FIRST_LOOK_MS
