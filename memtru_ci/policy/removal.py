"""Which facts of a session are deleted, and by which tombstone (rule 7)."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memtru_ci.policy.events import CHAIN, IDS, KEY, Event
from memtru_ci.policy.lineage import Facts, Lineage

Order = tuple[datetime, str]


@dataclass(slots=True)
class KeyTombstones:
    """The tombstones of one key, in order of their instants."""

    times: list[datetime] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    permanent: Order | None = None

    def add(self, tombstone: Event) -> None:
        """Take in the next one: tombstones come in order."""
        if not is_permanent(tombstone):
            self.times.append(tombstone.recorded_at)
            self.ids.append(tombstone.id)
        elif self.permanent is None:
            self.permanent = order_of(tombstone)


def removed_by(facts: Facts, tombstones: Iterable[Event], lineage: Lineage) -> dict[str, str]:
    """Deleted facts, each with the id of the earliest tombstone that reaches it.

    Linear in the session but for sorting, whatever the order of arrival. Neither `at` nor
    `known_at` matters.
    """
    found: dict[str, Order] = {}
    walked: set[str] = set()
    of_key: dict[str, KeyTombstones] = {}
    for one in sorted(tombstones, key=order_of):
        if one.scope == KEY and one.key is not None:
            of_key.setdefault(one.key, KeyTombstones()).add(one)
        for target in _reached(one, lineage, walked):
            found.setdefault(target, order_of(one))
    for fact in facts.values():
        orders = [found.get(fact.id), _by_key(fact, lineage, of_key)]
        reached = [order for order in orders if order is not None]
        if reached:
            found[fact.id] = min(reached)
    return {one: order[1] for one, order in found.items() if one in facts}


def earliest_covering(tombstones: KeyTombstones, fact: Event) -> Order | None:
    """The first tombstone of a fact's key that deletes it: a tie is deleted."""
    first = bisect_left(tombstones.times, fact.recorded_at)
    if first == len(tombstones.times):
        return tombstones.permanent
    covering = (tombstones.times[first], tombstones.ids[first])
    return covering if tombstones.permanent is None else min(covering, tombstones.permanent)


def is_permanent(tombstone: Event) -> bool:
    """Whether a tombstone of a key also deletes what is recorded later."""
    return tombstone.permanent


def descendants(target: str, lineage: Lineage, walked: set[str]) -> Iterator[str]:
    """An id and all corrections that descend from it; what an earlier walk reached is left out."""
    waiting = [target]
    while waiting:
        one = waiting.pop()
        if one not in walked:
            walked.add(one)
            yield one
            waiting += lineage.children.get(one, ())


def order_of(event: Event) -> Order:
    """Events in order of their instants, and of their ids where these are equal."""
    return event.recorded_at, event.id


def _reached(tombstone: Event, lineage: Lineage, walked: set[str]) -> Iterable[str]:
    if tombstone.scope == IDS:
        return tombstone.targets
    if tombstone.target is None:
        return ()
    if tombstone.scope == CHAIN:
        return descendants(tombstone.target, lineage, walked)
    return (tombstone.target,)


def _by_key(fact: Event, lineage: Lineage, of_key: Mapping[str, KeyTombstones]) -> Order | None:
    key = lineage.keys.get(fact.id)
    tombstones = None if key is None or key.text is None else of_key.get(key.text)
    return None if tombstones is None else earliest_covering(tombstones, fact)
