"""Changes of what tombstones do: rule 7."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from memtru_ci.policy import lineage, removal, resolve, store
from memtru_ci.policy import session as session_module
from memtru_ci.policy.events import CHAIN, IDS, KEY, RECORD, Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.session import Session
from tests.policy.mutations.registry import mutation, swap


# Rule 7
@mutation
def a_tombstone_needs_its_target_first(patch: pytest.MonkeyPatch) -> None:
    real = Session.add

    def add(self: Session, event: Event) -> None:
        if event.is_fact or event.scope == KEY or event.target in self.facts:
            real(self, event)

    patch.setattr(Session, "add", add)


@mutation
def a_key_tombstone_takes_only_what_has_arrived(patch: pytest.MonkeyPatch) -> None:
    real = Session.add

    def add(self: Session, event: Event) -> None:
        if event.scope == KEY:
            keys = lineage.lineage_of(self.facts).keys
            held = tuple(one for one, key in keys.items() if key.text == event.key)
            event = replace(event, scope=IDS, targets=held)
        real(self, event)

    patch.setattr(Session, "add", add)


def _bisect_right(held: removal.KeyTombstones, fact: Event) -> removal.Order | None:
    first = bisect_right(held.times, fact.recorded_at)
    found = [(held.times[first], held.ids[first])] if first < len(held.times) else []
    return min([*found, *([held.permanent] if held.permanent else [])], default=None)


def _oldest(held: removal.KeyTombstones, fact: Event) -> removal.Order | None:
    covers = held.times and fact.recorded_at <= held.times[0]
    return (held.times[0], held.ids[0]) if covers else held.permanent


swap("a tie with a key tombstone is kept", removal, "earliest_covering", _bisect_right)
swap("only the oldest key tombstone counts", removal, "earliest_covering", _oldest)
swap("permanent is ignored", removal, "is_permanent", lambda tombstone: False)
swap("every key tombstone is permanent", removal, "is_permanent", lambda tombstone: True)
swap(
    "a key tombstone takes only facts that name the key",
    removal,
    "_by_key",
    lambda fact, _, of_key: (
        removal.earliest_covering(of_key[fact.key], fact) if fact.key in of_key else None
    ),
)
swap(
    "a key tombstone is ignored",
    removal,
    "_by_key",
    lambda *_: None,
)
real_reached, real_removed_by = removal._reached, removal.removed_by
swap(
    "a chain tombstone takes one record",
    removal,
    "_reached",
    lambda one, *rest: (one.target,) if one.scope == CHAIN else real_reached(one, *rest),
)
swap(
    "a chain tombstone takes only direct corrections",
    removal,
    "descendants",
    lambda target, held, walked: [target, *held.children.get(target, ())],
)
swap(
    "a record tombstone takes the chain",
    removal,
    "_reached",
    lambda one, *rest: real_reached(
        replace(one, scope=CHAIN) if one.scope == RECORD else one, *rest
    ),
)


def _no_later_descendants(facts: Any, tombstones: Iterable[Event], held: Any) -> dict[str, str]:
    of = {one.id: one for one in tombstones}
    found = real_removed_by(facts, of.values(), held)
    return {
        one: by
        for one, by in found.items()
        if of[by].scope != CHAIN
        or of[by].target == one
        or facts[one].recorded_at <= of[by].recorded_at
    }


swap(
    "a chain tombstone takes no later corrections",
    session_module,
    "removed_by",
    _no_later_descendants,
)


def _with_ancestors(target: str, held: Any, walked: set[str]) -> Iterator[str]:
    while target in held.parents:
        target = held.parents[target]
    yield from real_descendants(target, held, walked)


real_descendants = removal.descendants
swap("a chain tombstone takes the whole chain", removal, "descendants", _with_ancestors)


@mutation
def deletion_begins_with_the_tombstone(patch: pytest.MonkeyPatch) -> None:
    _tombstones_from(patch, lambda query: query.at)


@mutation
def known_at_hides_tombstones(patch: pytest.MonkeyPatch) -> None:
    _tombstones_from(patch, lambda query: query.known_at)


def _tombstones_from(patch: pytest.MonkeyPatch, of: Callable[[Query], datetime | None]) -> None:
    real = resolve.resolve

    def resolved(session: Session, query: Query) -> resolve.Resolution:
        bound, cut = of(query), Session()
        for event in session:
            if event.is_fact or bound is None or event.recorded_at <= bound:
                cut.add(event)
        return real(cut, query)

    patch.setattr(store, "resolve", resolved)
