"""Logs: events in files, whole as they came or sanitized as an export has them."""

from collections.abc import Iterable, Mapping
from typing import Any

from memtru_ci.policy import events, sanitized
from memtru_ci.policy.documents import Unusable
from memtru_ci.policy.events import Event
from memtru_ci.policy.fields import FieldRejected
from memtru_ci.policy.removal import order_of
from memtru_ci.policy.store import PolicyStore, Rejection


def written(held: Iterable[Event]) -> list[dict[str, object]]:
    """Events as JSON, in order of session, instant and id: the same set gives the same list."""
    ordered = sorted(held, key=lambda one: (one.session, *order_of(one)))
    return [sanitized.to_json(one) for one in ordered]


def read(raws: object) -> tuple[PolicyStore, list[Rejection]]:
    """A store of events from JSON, and which of them were rejected."""
    if not isinstance(raws, list):
        return PolicyStore(), [Rejection(0, "not_a_list: events is a list of objects")]
    store = PolicyStore()
    reasons = ((index, _admit(store, raw)) for index, raw in enumerate(raws))
    return store, [Rejection(index, reason) for index, reason in reasons if reason is not None]


def events_of(document: object) -> list[Any]:
    """The events of a log, a trace or an export: a list, or an object with `events`.

    Raises `Unusable` where there are none.
    """
    found = document.get("events") if isinstance(document, Mapping) else document
    if not isinstance(found, list):
        raise Unusable("There are no events.", 'A log is a list of events, or {"events": […]}.')
    return found


def _admit(store: PolicyStore, raw: object) -> str | None:
    if not isinstance(raw, Mapping) or not sanitized.is_sanitized(raw):
        return store.add(raw)
    try:
        return store.admit(sanitized.parse(raw))
    except FieldRejected as rejected:
        return rejected.reason
    except events.EventRejected as rejected:
        return rejected.reason
