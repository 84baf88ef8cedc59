"""Events: what was said, corrected or deleted, as checked and frozen values (rules 1 to 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memtru_ci.policy import fields, instants
from memtru_ci.policy.fields import FieldRejected

ASSERTION = "assertion"
CORRECTION = "correction"
TOMBSTONE = "tombstone"

RECORD = "record"
CHAIN = "chain"
KEY = "key"
IDS = "ids"
"""Only in an export: what became of a tombstone of scope `key`."""


class EventRejected(ValueError):
    """An event that changes nothing; `reason` is `code` or `code: detail`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Event:
    """One event. Assertions and corrections are facts: they have validity and a value.

    `recorded_at`, `valid_from` and `valid_to` are in UTC; `valid_to` None has no end. `key` is the
    key that the event names itself. The last five fields are only used in an export.
    """

    id: str
    kind: str
    session: str
    source: str
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    key: str | None = None
    value: str = ""
    target: str | None = None
    scope: str | None = None
    permanent: bool = False
    erased: bool = False
    keyed: bool = False
    unverifiable: bool = False
    inherited_key: str | None = None
    targets: tuple[str, ...] = ()

    @property
    def is_fact(self) -> bool:
        """Whether a query may return it."""
        return self.kind != TOMBSTONE

    @property
    def begins(self) -> datetime:
        """The first instant at which the fact holds."""
        return self.recorded_at if self.valid_from is None else self.valid_from


def parse(raw: object) -> Event:
    """An event from JSON. Fields that its kind does not have are ignored and not kept.

    Raises `EventRejected` with the reason, which never repeats the content.
    """
    try:
        return _parse(raw)
    except FieldRejected as rejected:
        raise EventRejected(rejected.reason) from None


def is_reversed(begins: datetime, ends: datetime) -> bool:
    """Whether an interval holds no instant at all (rule 2)."""
    return ends <= begins


def to_json(event: Event) -> dict[str, object]:
    """The event as JSON that `parse` reads back; instants in UTC."""
    found: dict[str, object] = {
        "id": event.id,
        "kind": event.kind,
        "session": event.session,
        "source": event.source,
        "recorded_at": instants.text_of(event.recorded_at),
    }
    if event.is_fact:
        found["valid_from"] = instants.text_of(event.begins)
        found["value"] = event.value
    if event.valid_to is not None:
        found["valid_to"] = instants.text_of(event.valid_to)
    named = {"key": event.key, "target": event.target, "scope": event.scope}
    found |= {field: text for field, text in named.items() if text is not None}
    if event.permanent:
        found["permanent"] = True
    return found


def _parse(raw: object) -> Event:
    if not isinstance(raw, Mapping):
        raise FieldRejected("not_an_object", "an event is a JSON object")
    kind = raw.get("kind")
    if kind == TOMBSTONE:
        return _tombstone(raw)
    if kind in (ASSERTION, CORRECTION):
        return _fact(raw, str(kind))
    raise FieldRejected("unknown_kind", "kind is assertion, correction or tombstone")


def _fact(raw: Mapping[str, object], kind: str) -> Event:
    is_assertion = kind == ASSERTION
    recorded_at = fields.instant(raw, "recorded_at")
    valid_from, valid_to = _validity(raw, recorded_at)
    return Event(
        id=fields.name(raw, "id"),
        kind=kind,
        session=fields.name(raw, "session"),
        source=fields.name(raw, "source", fields.LONGEST_SOURCE),
        recorded_at=recorded_at,
        valid_from=valid_from,
        valid_to=valid_to,
        key=fields.name(raw, "key") if is_assertion else fields.optional_name(raw, "key"),
        value=fields.value(raw),
        target=None if is_assertion else fields.name(raw, "target"),
    )


def _validity(raw: Mapping[str, object], recorded_at: datetime) -> tuple[datetime, datetime | None]:
    valid_from = fields.optional_instant(raw, "valid_from") or recorded_at
    valid_to = fields.optional_instant(raw, "valid_to")
    if valid_to is not None and is_reversed(valid_from, valid_to):
        raise FieldRejected("bad_interval", "valid_to is later than valid_from")
    return valid_from, valid_to


def _tombstone(raw: Mapping[str, object]) -> Event:
    scope = raw.get("scope")
    if scope not in (RECORD, CHAIN, KEY):
        raise FieldRejected("unknown_scope", "scope is record, chain or key")
    is_of_key = scope == KEY
    return Event(
        id=fields.name(raw, "id"),
        kind=TOMBSTONE,
        session=fields.name(raw, "session"),
        source=fields.name(raw, "source", fields.LONGEST_SOURCE),
        recorded_at=fields.instant(raw, "recorded_at"),
        key=fields.name(raw, "key") if is_of_key else None,
        target=None if is_of_key else fields.name(raw, "target"),
        scope=str(scope),
        permanent=is_of_key and fields.flag(raw, "permanent"),
    )
