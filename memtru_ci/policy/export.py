"""Sanitized exports: everything that decides answers, and nothing of what was deleted (rule 14)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from memtru_ci.policy import log
from memtru_ci.policy.differences import differences
from memtru_ci.policy.events import IDS, KEY, Event
from memtru_ci.policy.sealed import broken_seal, seal
from memtru_ci.policy.session import Session, Standing
from memtru_ci.policy.store import PolicyStore

FORMAT = "memtru-policy-export/1"

FIELDS = ("format", "events", "hashes", "content_hash")


def export(store: PolicyStore) -> dict[str, object]:
    """The document: ids, timestamps and edges of every event, payloads of survivors only.

    No hash, length or order of what was deleted is in it. Queries are not: their texts may repeat
    what was deleted.
    """
    return seal({"format": FORMAT, "events": log.written(sanitize(store.events()))})


def sanitize(held: Iterable[Event]) -> Iterator[Event]:
    """The events with which a store answers the same, without anything deleted."""
    for session in _sessions(held):
        standing = session.standing()
        yield from (_fact(one, session, standing) for one in session.facts.values())
        yield from _tombstones(session, standing)


def verify(document: Mapping[str, Any]) -> list[str]:
    """What is wrong with an export: its seal, its events, and payloads that are deleted."""
    found = broken_seal(document)
    found += [f"{one}: missing" for one in FIELDS if one not in document]
    found += [f"{one}: does not belong to an export" for one in document if one not in FIELDS]
    store, rejections = log.read(document.get("events"))
    found += [f"events[{one.index}]: {one.reason}" for one in rejections]
    if found:
        return found
    again = log.written(sanitize(store.events()))
    return differences(document.get("events"), again, "events") + list(_unsound(store))


def _unsound(store: PolicyStore) -> Iterator[str]:
    """An erased fact that nothing deletes would be a hole in the record."""
    for session in _sessions(store.events()):
        removed = session.standing().removed_by
        for one in session.facts.values():
            if one.erased and one.id not in removed:
                yield f"{one.id}: erased, but no tombstone deletes it"


def _sessions(held: Iterable[Event]) -> Iterable[Session]:
    sessions: dict[str, Session] = {}
    for event in held:
        sessions.setdefault(event.session, Session()).add(event)
    return sessions.values()


def _fact(fact: Event, session: Session, standing: Standing) -> Event:
    if fact.id in standing.removed_by:
        keyed = fact.keyed or fact.key is not None
        return replace(
            fact,
            key=None,
            value="",
            source="",
            erased=True,
            keyed=keyed,
            unverifiable=False,
            inherited_key=None,
        )
    return _survivor(fact, session, standing)


def _survivor(fact: Event, session: Session, standing: Standing) -> Event:
    """A correction keeps the key that it had from a fact whose key goes."""
    target = standing.lineage.parents.get(fact.id)
    above = None if target is None else standing.lineage.keys.get(target)
    if above is None or above.holder not in standing.removed_by:
        return fact
    key = standing.lineage.keys[fact.id]
    inherited = None if key.holder == fact.id else key.text
    return replace(fact, unverifiable=True, inherited_key=inherited)


def _tombstones(session: Session, standing: Standing) -> Iterator[Event]:
    removed: dict[str, list[str]] = {}
    for target, tombstone in standing.removed_by.items():
        removed.setdefault(tombstone, []).append(target)
    for one in session.tombstones.values():
        if one.scope == KEY:
            targets = tuple(sorted(removed.get(one.id, ())))
            yield replace(one, source="", key=None, permanent=False, scope=IDS, targets=targets)
        else:
            yield replace(one, source="")
