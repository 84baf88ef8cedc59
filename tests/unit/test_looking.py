"""What looks prove: counting, settling, opening and covering a window."""

from itertools import pairwise

import pytest

from memtru_ci.domain.looking import (
    COUNTING_LOOKS,
    Controls,
    controls_of,
    coverage_of,
    due_offset,
    first_sighting,
    longest_gap_allowed,
    looks_due,
    opening_look,
    settled_row,
)
from memtru_ci.domain.timeline import Look, Manner, Outcome, Reading, Watch

BOTH = Controls(frozenset({"search", "list"}), frozenset({"search", "list"}))


def look(at: float, took: float = 1.0, **shown: str) -> Look:
    """A look; what is shown is written as in `tests.timelines`."""
    readings = tuple(
        Reading(
            surface=name,
            outcome=Outcome.PROVIDER_ERROR if what == "500" else Outcome.DONE,
            marker="m" in what,
            bystander="b" in what,
            started_ms=at,
            ended_ms=at + took,
        )
        for name, what in (shown or {"search": "b", "list": "b"}).items()
    )
    return Look(started_ms=at, readings=readings)


def watch(*looks: Look, window_ms: int = 2000, since_ms: float = 0.0) -> Watch:
    return Watch(manner=Manner.WATCH, window_ms=window_ms, since_ms=since_ms, looks=looks)


def test_looks_are_due_ever_later_and_at_most_a_second_apart() -> None:
    offsets = [due_offset(number) for number in range(12)]

    assert offsets[:5] == pytest.approx([0, 50, 80, 128, 204.8])
    gaps = [after - before for before, after in pairwise(offsets)]
    assert max(gaps) == pytest.approx(1000)
    assert gaps[-1] == pytest.approx(1000)


def test_a_surface_is_proven_by_marker_and_bystander_in_one_look() -> None:
    controls = controls_of(
        [look(0, search="m", list="b"), look(50, search="b", list="b"), look(80, search="mb")]
    )

    assert controls.proven == {"search"}
    assert controls.with_bystander == {"search", "list"}


def test_a_read_that_failed_is_no_control() -> None:
    assert controls_of([look(0, search="500")]) == Controls()


@pytest.mark.parametrize(
    ("shown", "counts"),
    [
        ({"search": "b", "list": "b"}, True),
        ({"search": "b", "list": "b", "profile": ""}, True),
        ({"search": "", "list": "b"}, False),
        ({"search": "b", "list": ""}, False),
        ({"search": "b", "list": "500"}, False),
        ({"search": "b", "list": "b", "profile": "500"}, False),
        ({"search": "b"}, False),
        ({"list": "b"}, False),
    ],
)
def test_a_look_counts_with_the_bystander_on_each_surface_that_had_shown_it(
    shown: dict[str, str], counts: bool
) -> None:
    assert BOTH.look_counts(look(0, **shown)) is counts


def test_search_must_show_the_bystander_even_if_it_never_did() -> None:
    assert not Controls().look_counts(look(0, search=""))


@pytest.mark.parametrize(
    ("looks", "settles_at"),
    [
        ([look(0), look(150), look(300)], 300),
        ([look(0), look(50), look(299)], None),
        ([look(0), look(300)], None),
        ([look(0), look(50), look(80), look(128), look(205), look(328)], 328),
        ([look(0), look(150), look(300, search="mb", list="b"), look(450)], None),
        ([look(0), look(150, search="b", list="500"), look(300), look(450), look(600)], 600),
        ([look(0), look(150), look(300, search="b", list="b", profile="m")], None),
        ([], None),
    ],
)
def test_an_absence_is_three_counting_looks_in_a_row_over_300_ms(
    looks: list[Look], settles_at: float | None
) -> None:
    row = settled_row(looks, BOTH)

    assert (row[-1].started_ms if row else None) == settles_at


def test_a_window_opens_with_the_first_look_that_counts_on_every_surface() -> None:
    opened = opening_look(watch(look(0, search="", list="b"), look(900), look(1000)), BOTH)

    assert opened is not None
    assert opened.started_ms == 900


def test_a_window_that_opens_too_late_does_not_open() -> None:
    assert opening_look(watch(look(0, search=""), look(2001)), BOTH) is None
    assert opening_look(watch(look(0, search=""), look(2000)), BOTH) is not None


@pytest.mark.parametrize(("window_ms", "gap"), [(2000, 1500), (6000, 1500), (10_000, 2500)])
def test_the_longest_gap_is_a_second_and_a_half_or_a_quarter(window_ms: int, gap: float) -> None:
    assert longest_gap_allowed(window_ms) == gap


def test_a_gap_is_measured_between_counting_looks() -> None:
    offsets = [*(due_offset(number) for number in range(9)), 2000]
    watched = watch(*(look(at, search="b", list="500" if at > 400 else "b") for at in offsets))

    assert coverage_of(watched, BOTH, "search").is_whole(2000)
    assert not coverage_of(watched, BOTH, "list").is_whole(2000)


def test_a_window_without_a_closing_look_is_not_whole() -> None:
    looks = [look(due_offset(number)) for number in range(9)]

    assert not coverage_of(watch(*looks), BOTH, "search").is_whole(2000)
    assert coverage_of(watch(*looks, look(2000)), BOTH, "search").is_whole(2000)


@pytest.mark.parametrize(
    ("window_ms", "look_ms", "due"),
    [(2000, 1, COUNTING_LOOKS), (500, 1, 7), (2000, 1000, 3), (2000, 5000, 2), (0, 1, 1)],
)
def test_a_window_leaves_time_for_so_many_looks(window_ms: int, look_ms: float, due: int) -> None:
    assert looks_due(window_ms, look_ms) == due


def test_few_looks_are_enough_only_where_the_reads_took_so_long() -> None:
    quick = watch(*(look(at) for at in (0, 1000, 2000)))
    slow = watch(*(look(at, took=990) for at in (0, 1000, 2000)))

    assert not coverage_of(quick, BOTH, "search").is_whole(2000)
    assert coverage_of(slow, BOTH, "search").is_whole(2000)


def test_a_sighting_too_soon_is_none() -> None:
    looks = [look(0, search="mb"), look(50, search="b"), look(80, search="m")]

    assert first_sighting(looks, 0.0) == looks[0].readings[0]
    assert first_sighting(looks, 1.0) == looks[2].readings[0]
    assert first_sighting(looks, 81.0) is None


@pytest.mark.parametrize(("repeated_at", "whole"), [(3500, True), (3501, False)])
def test_a_closing_look_is_repeated_within_a_second_and_a_half(
    repeated_at: float, whole: bool
) -> None:
    window_ms = 10_000
    looks = [look(at) for at in range(0, window_ms, 900)]
    failed = look(window_ms, search="b", list="500")
    again = look(window_ms - 2000 + repeated_at)
    watched = watch(*looks, failed, again, window_ms=window_ms)

    assert coverage_of(watched, BOTH, "list").is_whole(window_ms) is whole
    assert coverage_of(watched, BOTH, "search").is_whole(window_ms)


def test_a_closing_look_at_the_very_end_closes_the_window() -> None:
    since = 4008.485
    looks = [look(round(since + due_offset(number), 3)) for number in range(6)]
    watched = watch(*looks, look(4508.485), window_ms=500, since_ms=since)

    assert since + 500 > 4508.485
    assert coverage_of(watched, BOTH, "search").closing_ms == pytest.approx(500)


def test_the_schedule_of_a_very_long_window_does_not_end() -> None:
    assert due_offset(3000) - due_offset(2999) == pytest.approx(1000)
