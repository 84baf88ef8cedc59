"""Changes of how events are read and taken: rules 1 to 5."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memtru_ci.policy import answer, events, instants, lineage, resolve
from memtru_ci.policy.events import KEY, Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.session import Session
from memtru_ci.policy.store import ID_CONFLICT, PolicyStore, Rejection
from tests.policy.mutations.registry import mutation, swap

# Rule 1
real_parse = instants.parse


def _local(text: str) -> datetime:
    real_parse(text)
    return datetime.fromisoformat(text.upper()).replace(tzinfo=UTC)


swap("times are compared as texts", instants, "parse", _local)
swap(
    "a naive timestamp is taken for UTC",
    instants,
    "parse",
    lambda text: real_parse(text if re.search(r"(?i:z)$|[+-]\d\d:\d\d$", text) else f"{text}Z"),
)
swap(
    "times are cut to the second", instants, "parse", lambda t: real_parse(t).replace(microsecond=0)
)

# Rule 2
swap(
    "the upper bound is inclusive",
    resolve,
    "has_ended",
    lambda f, at: f.valid_to and f.valid_to < at,
)
swap("the lower bound is exclusive", resolve, "has_begun", lambda f, at: f.begins < at)
swap("expiry is ignored", resolve, "has_ended", lambda f, at: False)
swap("validity begins with the recording", resolve, "has_begun", lambda f, at: f.recorded_at <= at)
swap("reversed intervals are accepted", events, "is_reversed", lambda begins, ends: False)
swap("empty intervals are accepted", events, "is_reversed", lambda begins, ends: ends < begins)

# Rule 3
swap("a correction takes no key from its target", lineage, "inherited", lambda *_: None)
swap(
    "a correction's own key is ignored",
    lineage,
    "own_key",
    lambda fact: fact.kind == events.ASSERTION or fact.target == fact.id,
)


# Rule 4
@mutation
def the_last_content_of_an_id_stays(patch: pytest.MonkeyPatch) -> None:
    def admit(self: PolicyStore, event: Event) -> None:
        self._events[event.id] = event
        self._sessions.setdefault(event.session, Session()).add(event)

    patch.setattr(PolicyStore, "admit", admit)


@mutation
def the_same_event_again_is_a_conflict(patch: pytest.MonkeyPatch) -> None:
    real = PolicyStore.admit
    patch.setattr(
        PolicyStore,
        "admit",
        lambda self, event: ID_CONFLICT if event.id in self._events else real(self, event),
    )


@mutation
def a_call_ends_at_its_first_bad_event(patch: pytest.MonkeyPatch) -> None:
    def add_all(self: PolicyStore, raws: Iterable[object]) -> list[Rejection]:
        for index, raw in enumerate(raws):
            reason = self.add(raw)
            if reason is not None:
                return [Rejection(index, reason)]
        return []

    patch.setattr(PolicyStore, "add_all", add_all)


# Rule 5
def _moved(patch: pytest.MonkeyPatch, applies: Callable[[Event], bool]) -> None:
    real = PolicyStore.admit

    def admit(self: PolicyStore, event: Event) -> str | None:
        target = self._events.get(event.target or "")
        if applies(event) and target is not None:
            event = replace(event, session=target.session)
        return real(self, event)

    patch.setattr(PolicyStore, "admit", admit)


@mutation
def a_correction_reaches_into_the_session_of_its_target(patch: pytest.MonkeyPatch) -> None:
    _moved(patch, lambda event: event.is_fact)


@mutation
def a_tombstone_reaches_into_the_session_of_its_target(patch: pytest.MonkeyPatch) -> None:
    _moved(patch, lambda event: not event.is_fact)


@mutation
def a_key_tombstone_reaches_into_every_session(patch: pytest.MonkeyPatch) -> None:
    real = PolicyStore.query

    def query(self: PolicyStore, asked: Query) -> answer.Answer:
        session = self._sessions.setdefault(asked.session, Session())
        for event in self._events.values():
            if event.scope == KEY:
                session.add(event)
        return real(self, asked)

    patch.setattr(PolicyStore, "query", query)


@mutation
def all_sessions_are_one(patch: pytest.MonkeyPatch) -> None:
    real = PolicyStore.admit
    patch.setattr(PolicyStore, "admit", lambda self, e: real(self, replace(e, session="s1")))
