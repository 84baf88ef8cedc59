"""When surfaces are looked at, and when enough was seen."""

from collections.abc import Callable, Iterable

import anyio
import pytest

from memtru_ci.domain.looking import (
    CLOSING_RETRY_MS,
    Controls,
    coverage_of,
    due_offset,
    opening_look,
    settled_row,
)
from memtru_ci.domain.timeline import Look, Outcome, Reading, Watch
from memtru_ci.watch import Watcher
from tests.fakes import FakeClock

BOTH = Controls(frozenset({"search", "list"}), frozenset({"search", "list"}))
WINDOW_MS = 2000

Shows = Callable[[float], str | dict[str, str]]


class Stage:
    """Surfaces that show what the time says, each read taking `took_ms`."""

    def __init__(self, shows: Shows, took_ms: float = 2.0) -> None:
        self.clock = FakeClock()
        self.shows = shows
        self.took_ms = took_ms
        self.ticks: list[float] = []
        self.gone_at_ms = float("inf")

    def now_ms(self) -> float:
        return round(self.clock.now_ms - 100_000, 3)

    async def look(self) -> Look:
        started = self.now_ms()
        shown = self.shows(started)
        each = {"search": shown, "list": "b"} if isinstance(shown, str) else shown
        await self.clock.sleep(self.took_ms / 1000)
        readings = tuple(
            Reading(
                surface=name,
                outcome=Outcome.PROVIDER_ERROR if what == "500" else Outcome.DONE,
                marker="m" in what,
                bystander="b" in what,
                started_ms=started,
                ended_ms=self.now_ms(),
            )
            for name, what in each.items()
        )
        return Look(started_ms=started, readings=readings)

    async def _stop(self, look: Look) -> bool:
        return look.started_ms >= self.gone_at_ms

    def watcher(self, window_ms: int = WINDOW_MS) -> Watcher:
        return Watcher(
            look=self.look,
            clock=self.clock,
            now_ms=self.now_ms,
            window_ms=window_ms,
            tick=self.ticks.append,
            stop_early=self._stop,
        )

    def settle(self) -> Watch:
        return anyio.run(self.watcher().settle, BOTH)

    def watch(self, not_before_ms: float = 0.0, window_ms: int = WINDOW_MS) -> Watch:
        return anyio.run(self.watcher(window_ms).watch, BOTH, not_before_ms)

    def watch_whole(self) -> Watch:
        return anyio.run(self.watcher().watch_whole, BOTH)

    def control(self) -> Watch:
        return anyio.run(self.watcher().control, lambda: frozenset({"search", "list"}))


def starts(watch: Watch) -> list[float]:
    return [look.started_ms for look in watch.looks]


def near(expected: Iterable[float]) -> object:
    return pytest.approx(list(expected), abs=0.01)


def constant(shown: str) -> Shows:
    return lambda _: shown


def test_a_watch_follows_the_schedule_and_looks_once_at_the_end() -> None:
    watch = Stage(constant("b")).watch()

    assert starts(watch) == near([*(due_offset(number) for number in range(9)), 2000])
    assert coverage_of(watch, BOTH, "search").is_whole(WINDOW_MS)


@pytest.mark.parametrize("window_ms", [500, 1000, 5000, 30_000])
def test_a_window_of_any_length_is_covered(window_ms: int) -> None:
    watch = Stage(constant("b")).watch(window_ms=window_ms)

    assert starts(watch)[-1] == pytest.approx(window_ms)
    assert coverage_of(watch, BOTH, "search").is_whole(window_ms)


def test_the_first_sight_ends_a_watch() -> None:
    watch = Stage(lambda ms: "mb" if ms > 500 else "b").watch()

    assert starts(watch)[-1] == pytest.approx(due_offset(6))


def test_a_sight_in_a_look_that_does_not_count_ends_a_watch_too() -> None:
    assert len(Stage(constant("m")).watch().looks) == 1


def test_a_sight_on_a_surface_that_never_showed_it_ends_a_watch() -> None:
    stage = Stage(lambda _: {"search": "b", "list": "b", "profile": "m"})

    assert len(stage.watch().looks) == 1


def test_a_sight_inside_the_services_own_window_ends_nothing() -> None:
    watch = Stage(lambda ms: "mb" if ms < 600 else "b").watch(not_before_ms=1000)

    assert starts(watch)[-1] == pytest.approx(2000)


def test_the_first_sight_does_not_end_a_watch_of_the_whole_window() -> None:
    watch = Stage(lambda ms: "mb" if 300 < ms < 600 else "b").watch_whole()

    assert starts(watch)[-1] == pytest.approx(2000)


def test_the_window_and_its_schedule_begin_with_the_first_look_that_counts() -> None:
    stage = Stage(lambda ms: "b" if ms >= 800 else "")
    watch = stage.watch()
    opening = opening_look(watch, BOTH)

    assert opening is not None
    assert opening.started_ms == pytest.approx(due_offset(7))
    after = [at - opening.started_ms for at in starts(watch) if at >= opening.started_ms]
    assert after == near([*(due_offset(number) for number in range(9)), 2000])
    assert coverage_of(watch, BOTH, "search").is_whole(WINDOW_MS)


def test_a_window_that_never_opens_is_given_up_after_one_window() -> None:
    watch = Stage(constant("")).watch()

    assert opening_look(watch, BOTH) is None
    assert WINDOW_MS <= starts(watch)[-1] <= WINDOW_MS + 1000


def test_a_closing_look_that_failed_is_repeated() -> None:
    watch = Stage(lambda ms: "500" if 1900 < ms < 3000 else "b").watch()

    assert 3000 <= starts(watch)[-1] <= WINDOW_MS + CLOSING_RETRY_MS
    assert coverage_of(watch, BOTH, "search").closing_ms is not None


def test_a_closing_look_is_repeated_for_no_more_than_a_second_and_a_half() -> None:
    watch = Stage(lambda ms: "500" if ms > 1900 else "b").watch()

    assert WINDOW_MS + 1000 <= starts(watch)[-1] <= WINDOW_MS + CLOSING_RETRY_MS
    assert not coverage_of(watch, BOTH, "search").is_whole(WINDOW_MS)


def test_slow_reads_leave_a_gap_that_does_not_cover_the_window() -> None:
    watch = Stage(constant("b"), took_ms=1600).watch()

    assert not coverage_of(watch, BOTH, "search").is_whole(WINDOW_MS)


def test_reads_that_take_half_a_second_cover_the_window_with_fewer_looks() -> None:
    watch = Stage(constant("b"), took_ms=500).watch()
    coverage = coverage_of(watch, BOTH, "search")

    assert coverage.made == coverage.counted < 8
    assert coverage.is_whole(WINDOW_MS)


def test_settling_takes_three_looks_in_a_row_over_300_ms() -> None:
    watch = Stage(constant("b")).settle()

    assert starts(watch) == near(due_offset(number) for number in range(6))
    assert settled_row(watch.looks, BOTH)


def test_settling_starts_its_schedule_again_when_the_marker_disappears() -> None:
    watch = Stage(lambda ms: "mb" if ms < 800 else "b").settle()

    gone = due_offset(7)
    assert starts(watch)[-6:] == near(gone + due_offset(number) for number in range(6))


@pytest.mark.parametrize("gone_ms", [1000, 1350, 1900, 1999, 2000])
def test_a_row_begun_inside_the_window_is_completed_after_it(gone_ms: float) -> None:
    watch = Stage(lambda ms: "mb" if ms < gone_ms else "b").settle()

    assert settled_row(watch.looks, BOTH)
    assert starts(watch)[-1] <= WINDOW_MS + 330


def test_a_row_that_would_begin_after_the_window_is_not_waited_for() -> None:
    watch = Stage(lambda ms: "mb" if ms < 2001 else "b").settle()

    assert starts(watch)[-1] == pytest.approx(WINDOW_MS)
    assert not settled_row(watch.looks, BOTH)


def test_settling_is_given_up_where_the_marker_stays() -> None:
    watch = Stage(constant("mb")).settle()

    assert not settled_row(watch.looks, BOTH)
    assert WINDOW_MS <= starts(watch)[-1] <= WINDOW_MS + 1000


def test_settling_is_given_up_where_a_row_begun_inside_breaks_outside() -> None:
    watch = Stage(lambda ms: "mb" if ms < 1000 or ms > 2000 else "500" if ms < 1900 else "b")
    seen = watch.settle()

    assert not settled_row(seen.looks, BOTH)
    assert starts(seen)[-1] <= WINDOW_MS + 1000


def test_a_delete_that_is_gone_only_at_the_end_gets_a_second_more_to_settle() -> None:
    watch = Stage(lambda ms: "mb" if ms < 1999 else "b").watch_whole()

    assert settled_row(watch.looks, BOTH)
    assert WINDOW_MS + 300 <= starts(watch)[-1] <= WINDOW_MS + 1000


def test_a_delete_that_never_settles_gets_no_more_than_a_second() -> None:
    watch = Stage(
        lambda ms: "mb" if ms < 1999 else "b" if ms < 2050 else {"search": "b", "list": "500"}
    ).watch_whole()

    assert not settled_row(watch.looks, BOTH)
    assert starts(watch)[-1] <= WINDOW_MS + CLOSING_RETRY_MS + 1000


def test_a_marker_that_is_there_at_the_end_ends_the_watch_of_the_whole_window() -> None:
    watch = Stage(constant("mb")).watch_whole()

    assert starts(watch)[-1] == pytest.approx(WINDOW_MS)


def test_the_positive_control_ends_once_every_surface_has_shown_both() -> None:
    watch = Stage(lambda ms: {"search": "mb", "list": "mb" if ms > 100 else "m"}).control()

    assert starts(watch)[-1] == pytest.approx(128)


def test_the_positive_control_ends_after_one_window() -> None:
    watch = Stage(constant("mb")).control()

    assert WINDOW_MS <= starts(watch)[-1] <= WINDOW_MS + 1000


def test_a_target_that_is_gone_ends_a_watch() -> None:
    stage = Stage(constant("500"))
    stage.gone_at_ms = 100

    assert starts(stage.watch())[-1] == pytest.approx(128)


def test_progress_hears_how_much_of_the_window_is_left() -> None:
    stage = Stage(constant("b"))
    stage.watch()

    assert stage.ticks[0] == pytest.approx(2.0)
    assert stage.ticks == sorted(stage.ticks, reverse=True)
    assert min(stage.ticks) >= 0
