"""How adding and querying grow: medians, and the ratios between sizes.

`python benchmarks/policy.py [--events 1000 10000 100000] [--sessions 1 1000] [--rounds 5]`
"""

import gc
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memtru_ci.policy.query import Query
from memtru_ci.policy.store import PolicyStore

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
MORE = 500
"""Events whose adding to a filled store is timed."""

OWN = 500
"""Events of a session that is asked among ever more events of others."""

Figures = dict[str, float]


def events(count: int, sessions: int, name: str = "e") -> Iterator[dict[str, Any]]:
    """A mixed log: of ten events seven assertions, two corrections and a tombstone."""
    for number in range(count):
        kind = number // sessions % 10
        made: dict[str, Any] = {
            "id": f"{name}{number}",
            "kind": "assertion",
            "session": f"s{number % sessions}",
            "source": "benchmark",
            "recorded_at": (BEGIN + timedelta(seconds=number)).isoformat(),
            "key": f"key{number // sessions % 500}",
            "value": f"value {number % 97} of {number % 13}",
        }
        if kind in (7, 8):
            made |= {"kind": "correction", "target": f"{name}{number - 3 * sessions}"}
        elif kind == 9:
            target = f"{name}{number - 5 * sessions}"
            made |= {"kind": "tombstone", "scope": "record", "target": target}
        yield made


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def measure(count: int, sessions: int, rounds: int, beside: int = 0) -> Figures:
    """Medians in microseconds: of one event, of a first query, of the next, and of a ranked one.

    `beside` is how many events of other sessions are in the store as well.
    """
    found: dict[str, list[float]] = {"add": [], "first": [], "next": [], "ranked": []}
    for _ in range(rounds):
        store = PolicyStore()
        store.add_all(events(count, sessions))
        store.add_all(one | {"session": f"o{one['session']}"} for one in events(beside, 50, "o"))
        more = list(events(MORE, sessions, "m"))
        gc.collect()  # else the first query pays for the garbage of the filling
        found["add"].append(seconds(lambda held=store, new=more: held.add_all(new)) / MORE)
        at = BEGIN + timedelta(days=400)
        asked = Query("s0", at)
        found["first"].append(seconds(lambda held=store, one=asked: held.query(one)))
        found["next"].append(seconds(lambda held=store, one=asked: held.query(one)))
        ranked = Query("s0", at, text="value 7", limit=5)
        found["ranked"].append(seconds(lambda held=store, one=ranked: held.query(one)))
    return {name: median(held) * 1e6 for name, held in found.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the medians, each against that of the next smaller size, and against other sessions."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 1000])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args(arguments)
    for sessions in given.sessions:
        _head("Events", "Sessions")
        _sizes({one: measure(one, sessions, given.rounds) for one in given.events}, f"{sessions}")
    _head("Other events", "Own session")
    _sizes(
        {one: measure(OWN, 1, given.rounds, one) for one in given.events}, f"{OWN + MORE} events"
    )


def _head(*first: str) -> None:
    print(f"\n| {' | '.join(first)} | Add one | First query | Next query | Ranked query |")
    print("| --- | --- | --- | --- | --- | --- |")


def _sizes(sizes: dict[int, Figures], beside: str) -> None:
    for size, figures in sizes.items():
        _row(f"{size} | {beside}", figures, "{:.1f} µs")
    for small, large in pairwise(sizes):
        ratios = {name: sizes[large][name] / sizes[small][name] for name in sizes[small]}
        _row(f"{large}/{small} | {beside}", ratios, "x{:.1f}")


def _row(head: str, figures: Figures, form: str) -> None:
    print(f"| {head} | {' | '.join(form.format(one) for one in figures.values())} |")


if __name__ == "__main__":
    main()
