"""The forms of events that only an export has: written, and read back (rule 14).

`erased`: a deleted fact without key, value and source; `keyed` says that it named a key itself.
`ids`: a tombstone that lists what it removed. `inherited_key`: the key that a surviving correction
had from a fact whose key was erased; `unverifiable` says that this can no longer be checked.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memtru_ci.policy import events, fields
from memtru_ci.policy.events import CORRECTION, IDS, KEY, TOMBSTONE, Event
from memtru_ci.policy.fields import FieldRejected

MARK = "sanitized"
"""Set on every event that has one of these forms; without it the fields mean nothing."""


def is_sanitized(raw: Mapping[str, Any]) -> bool:
    """Whether an event has a form that only an export has."""
    return raw.get(MARK) is True


def to_json(event: Event) -> dict[str, object]:
    """The event as JSON, whichever form it has."""
    found = events.to_json(event)
    if event.erased:
        del found["value"], found["source"]
        return {**found, MARK: True, "erased": True, "keyed": event.keyed}
    if event.kind == TOMBSTONE and not event.source:
        del found["source"]
        targets = {"targets": list(event.targets)} if event.scope == IDS else {}
        return {**found, MARK: True, **targets}
    if event.unverifiable:
        inherited = event.inherited_key
        key = {} if inherited is None else {"inherited_key": inherited}
        return {**found, MARK: True, "unverifiable": True, **key}
    return found


def parse(raw: Mapping[str, Any]) -> Event:
    """An event of an export. Raises `FieldRejected` or `EventRejected` with the reason."""
    if fields.flag(raw, "erased"):
        return _erased(raw)
    if raw.get("kind") == TOMBSTONE:
        return _tombstone(raw)
    found = events.parse(raw)
    if found.kind != CORRECTION or not fields.flag(raw, "unverifiable"):
        raise FieldRejected("bad_export", "a surviving fact is an unverifiable correction")
    return replace(
        found,
        unverifiable=True,
        inherited_key=fields.optional_name(raw, "inherited_key"),
    )


def _tombstone(raw: Mapping[str, Any]) -> Event:
    if raw.get("scope") == KEY:
        raise FieldRejected("bad_export", "a tombstone of a key is a list of ids in an export")
    if raw.get("scope") != IDS:
        return replace(events.parse({**raw, "source": "-"}), source="")
    targets = raw.get("targets")
    if not isinstance(targets, list):
        raise FieldRejected("bad_type", "targets is a list of ids")
    return Event(
        id=fields.name(raw, "id"),
        kind=TOMBSTONE,
        session=fields.name(raw, "session"),
        source="",
        recorded_at=fields.instant(raw, "recorded_at"),
        scope=IDS,
        targets=tuple(fields.name({"target": one}, "target") for one in targets),
    )


def _erased(raw: Mapping[str, Any]) -> Event:
    payload = [one for one in ("key", "value", "source", "inherited_key") if one in raw]
    if payload:
        raise FieldRejected("bad_export", f"an erased fact has no {payload[0]}")
    if raw.get("kind") == TOMBSTONE:
        raise FieldRejected("bad_export", "a tombstone is not erased")
    keyed = fields.flag(raw, "keyed")
    stand_in = {**raw, "source": "-", "value": "", "key": "-"}
    return replace(events.parse(stand_in), source="", key=None, erased=True, keyed=keyed)
