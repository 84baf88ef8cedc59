"""Who corrects whom in a session, and which key each fact has (rules 3, 5 and 6)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from memtru_ci.policy.events import Event

Facts = Mapping[str, Event]


@dataclass(frozen=True, slots=True)
class Key:
    """A fact's key, the fact that names it, and since when the way to it is known.

    `text` is None where an export has erased it.
    """

    text: str | None
    holder: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Lineage:
    """`parents`: correction to target, both facts of the session, no cycle left.

    `children`: any id that a correction names, to its corrections, without ignored edges.
    """

    parents: Mapping[str, str]
    children: Mapping[str, list[str]]
    keys: Mapping[str, Key]


def lineage_of(facts: Facts) -> Lineage:
    """The lineage of a session's facts, in time linear in their number."""
    edges = {one.id: one.target for one in facts.values() if one.target is not None}
    for ignored in ignored_edges(facts, edges):
        del edges[ignored]
    parents = {child: target for child, target in edges.items() if target in facts}
    return Lineage(parents, _children(edges), _keys(facts, parents))


def ignored_edges(facts: Facts, edges: Mapping[str, str]) -> list[str]:
    """Of each cycle the correction whose edge does not count."""
    return [latest_of(facts, cycle) for cycle in _cycles(edges)]


def latest_of(facts: Facts, cycle: Iterable[str]) -> str:
    """The correction that closed the cycle: the latest one, and of these the greatest id."""
    return max(cycle, key=lambda one: (facts[one].recorded_at, one))


def own_key(fact: Event) -> bool:
    """Whether a fact names a key itself; it then takes none from its target."""
    return fact.key is not None or fact.keyed


def _cycles(edges: Mapping[str, str]) -> Iterator[list[str]]:
    """Each correction names one target, so that following targets finds every cycle."""
    walk_of: dict[str, str] = {}
    for start in edges:
        path: list[str] = []
        at = start
        while at in edges and at not in walk_of:
            walk_of[at] = start
            path.append(at)
            at = edges[at]
        if path and walk_of.get(at) == start:
            yield path[path.index(at) :]


def _children(edges: Mapping[str, str]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for child, target in edges.items():
        children.setdefault(target, []).append(child)
    return children


def _keys(facts: Facts, parents: Mapping[str, str]) -> dict[str, Key]:
    keys: dict[str, Key | None] = {}
    for start in facts.values():
        way = [start]
        while way[-1].id not in keys and not own_key(way[-1]) and way[-1].id in parents:
            way.append(facts[parents[way[-1].id]])
        _unwind(way, keys)
    return {fact: key for fact, key in keys.items() if key is not None}


def _unwind(way: list[Event], keys: dict[str, Key | None]) -> None:
    """Hand the key at the end of a way down to its beginning."""
    last = way[-1]
    if last.id not in keys:
        keys[last.id] = Key(last.key, last.id, last.recorded_at) if own_key(last) else None
    for target, fact in pairwise(reversed(way)):
        keys[fact.id] = inherited(fact, target, keys[target.id])


def inherited(fact: Event, target: Event, key: Key | None) -> Key | None:
    """What a correction that names no key has from its target: known once the target is."""
    if key is None:
        return None
    text = fact.inherited_key if key.text is None else key.text
    return Key(text, key.holder, max(key.since, target.recorded_at))
