"""The rules written down a second time, slowly and word for word, to check the engine against."""

from datetime import datetime

from memtru_ci.policy import events
from memtru_ci.policy.events import Event
from memtru_ci.policy.query import Query


def parsed(raws: list[dict[str, object]]) -> list[Event]:
    """The events as values."""
    return [events.parse(one) for one in raws]


def visible(held: list[Event], query: Query) -> tuple[set[str], set[str]]:
    """Ids of the winners and of what is deleted, by the rules 2 and 5 to 10."""
    mine = [one for one in held if one.session == query.session]
    facts = {one.id: one for one in mine if one.is_fact}
    tombstones = [one for one in mine if not one.is_fact]
    deleted = {one for one in facts if any(_deletes(t, facts[one], facts) for t in tombstones)}
    known = {
        one: fact
        for one, fact in facts.items()
        if query.known_at is None or fact.recorded_at <= query.known_at
    }
    standing = [
        fact
        for one, fact in known.items()
        if one not in deleted
        and not any(_target(other, known) == one for other in known.values())
        and _valid(fact, query.at)
        and _key(fact, known) is not None
    ]
    winners = {
        max(
            (rival for rival in standing if _key(rival, known) == _key(one, known)),
            key=lambda rival: (rival.recorded_at, rival.begins, rival.id),
        ).id
        for one in standing
    }
    return winners, deleted


def _valid(fact: Event, at: datetime) -> bool:
    return fact.begins <= at and (fact.valid_to is None or at < fact.valid_to)


def _cycle(fact: Event, facts: dict[str, Event]) -> list[Event]:
    """The cycle that a fact is on; empty where it is on none."""
    path = [fact]
    for _ in facts:
        following = facts.get(path[-1].target or "")
        if following is None:
            return []
        if following is fact:
            return path
        path.append(following)
    return []


def _edge(fact: Event, facts: dict[str, Event]) -> str | None:
    """What a fact corrects, known or not, unless its edge closes a cycle."""
    cycle = _cycle(fact, facts)
    latest = max(cycle, key=lambda one: (one.recorded_at, one.id), default=None)
    return None if latest is fact else fact.target


def _target(fact: Event, facts: dict[str, Event]) -> str | None:
    edge = _edge(fact, facts)
    return edge if edge in facts else None


def _key(fact: Event, facts: dict[str, Event]) -> str | None:
    if fact.key is not None:
        return fact.key
    target = _target(fact, facts)
    return None if target is None else _key(facts[target], facts)


def _descends(fact: Event, root: str, facts: dict[str, Event]) -> bool:
    if fact.id == root:
        return True
    edge = _edge(fact, facts)
    if edge is None or edge == root:
        return edge == root
    return edge in facts and _descends(facts[edge], root, facts)


def _deletes(tombstone: Event, fact: Event, facts: dict[str, Event]) -> bool:
    if tombstone.scope == "record":
        return fact.id == tombstone.target
    if tombstone.scope == "chain":
        return _descends(fact, str(tombstone.target), facts)
    is_covered = tombstone.permanent or fact.recorded_at <= tombstone.recorded_at
    return _key(fact, facts) == tombstone.key and is_covered
