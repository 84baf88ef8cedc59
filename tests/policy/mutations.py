"""Small named changes of the engine's rules, each of which some case has to notice."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memtru_ci.policy import answer, events, instants, lineage, rank, removal, resolve, store, words
from memtru_ci.policy import session as session_module
from memtru_ci.policy.events import CHAIN, IDS, KEY, RECORD, Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.session import Session
from memtru_ci.policy.store import ID_CONFLICT, PolicyStore, Rejection

Mutation = Callable[[pytest.MonkeyPatch], None]

MUTATIONS: dict[str, Mutation] = {}


def swap(name: str, owner: object, attribute: str, other: object) -> None:
    """A mutation that only puts another function in the place of one."""
    MUTATIONS[name] = lambda patch: patch.setattr(owner, attribute, other)


def mutation(function: Mutation) -> Mutation:
    """A mutation that needs more than that; its name is the function's."""
    MUTATIONS[function.__name__.replace("_", " ")] = function
    return function


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


# Rule 6
swap(
    "a correction suppresses only while it is valid",
    resolve,
    "suppresses",
    lambda one, query: (
        resolve.is_known(one.recorded_at, query)
        and resolve.has_begun(one, query.at)
        and not resolve.has_ended(one, query.at)
    ),
)
swap(
    "a correction suppresses only until its end",
    resolve,
    "suppresses",
    lambda one, query: (
        resolve.is_known(one.recorded_at, query) and not resolve.has_ended(one, query.at)
    ),
)
real_corrected_by = resolve._corrected_by


def _corrected(keeps: Callable[[Session, Any, str, str], bool]) -> Callable[..., dict[str, str]]:
    def corrected_by(session: Session, standing: Any, query: Query) -> dict[str, str]:
        found = real_corrected_by(session, standing, query)
        return {a: b for a, b in found.items() if keeps(session, standing, a, b)}

    return corrected_by


swap(
    "a deleted correction revives its target",
    resolve,
    "_corrected_by",
    _corrected(lambda session, standing, target, by: by not in standing.removed_by),
)
swap(
    "a correction suppresses only what was recorded before it",
    resolve,
    "_corrected_by",
    _corrected(lambda s, _, a, b: s.facts[a].recorded_at <= s.facts[b].recorded_at),
)
swap(
    "a corrected correction suppresses no more",
    resolve,
    "_corrected_by",
    _corrected(lambda s, standing, a, b: b not in standing.lineage.parents.values()),
)
swap(
    "in a cycle the earliest edge is ignored",
    lineage,
    "latest_of",
    lambda facts, cycle: min(cycle, key=lambda one: (facts[one].recorded_at, one)),
)
swap(
    "in a cycle of one instant the lowest id is latest",
    lineage,
    "latest_of",
    lambda facts, cycle: max(sorted(cycle), key=lambda one: facts[one].recorded_at),
)
swap(
    "in a cycle every edge is ignored",
    lineage,
    "ignored_edges",
    lambda facts, edges: [one for cycle in lineage._cycles(edges) for one in cycle],
)
swap(
    "a pending correction is visible",
    resolve,
    "RULES",
    tuple(one for one in resolve.RULES if one[0] != answer.PENDING_TARGET),
)


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


# Rule 8
swap("known_at is ignored", resolve, "is_known", lambda recorded_at, query: True)
swap(
    "known_at leaves out its own instant",
    resolve,
    "is_known",
    lambda recorded_at, query: query.known_at is None or recorded_at < query.known_at,
)
swap("known_at does not hide what corrections do", resolve, "suppresses", lambda *_: True)

# Rule 10
swap("the last to arrive wins", resolve, "winner_of", lambda rivals: rivals[-1])
swap("the first to arrive wins", resolve, "winner_of", lambda rivals: rivals[0])
swap("valid_from counts first", resolve, "precedence", lambda f: (f.begins, f.recorded_at, f.id))
swap("valid_from does not count", resolve, "precedence", lambda f: (f.recorded_at, f.id))
swap(
    "the lowest id wins",
    resolve,
    "winner_of",
    lambda rivals: max(
        sorted(rivals, key=lambda one: one.id), key=lambda one: (one.recorded_at, one.begins)
    ),
)
swap("the oldest wins", resolve, "winner_of", lambda rivals: min(rivals, key=resolve.precedence))


@mutation
def the_winner_is_chosen_before_validity_is_asked(patch: pytest.MonkeyPatch) -> None:
    real = resolve.resolve
    validity = (answer.NOT_YET_VALID, answer.EXPIRED)
    patch.setattr(resolve, "RULES", tuple(one for one in resolve.RULES if one[0] not in validity))

    def resolved(session: Session, query: Query) -> resolve.Resolution:
        found = real(session, query)
        holds = [
            one
            for one in found.winners
            if resolve.has_begun(one, query.at) and not resolve.has_ended(one, query.at)
        ]
        return replace(found, winners=tuple(holds))

    patch.setattr(store, "resolve", resolved)


@mutation
def keys_are_compared_without_case(patch: pytest.MonkeyPatch) -> None:
    real = resolve.View.key_of

    def key_of(self: resolve.View, fact: Event) -> str | None:
        key = real(self, fact)
        return None if key is None else key.casefold()

    patch.setattr(resolve.View, "key_of", key_of)


# Rule 11
def _frequencies_over(
    patch: pytest.MonkeyPatch, of: Callable[[PolicyStore, str], Iterable[Event]]
) -> None:
    real_query, real_weights = PolicyStore.query, rank.inverse_frequencies
    others: list[Event] = []

    def query(self: PolicyStore, asked: Query) -> answer.Answer:
        others[:] = [one for one in of(self, asked.session) if one.is_fact]
        return real_query(self, asked)

    def weights(_: Iterable[Mapping[str, int]]) -> dict[str, float]:
        return real_weights(Counter(words.words(f"{one.key} {one.value}")) for one in others)

    patch.setattr(PolicyStore, "query", query)
    patch.setattr(rank, "inverse_frequencies", weights)


@mutation
def frequencies_over_everything_deleted_too(patch: pytest.MonkeyPatch) -> None:
    _frequencies_over(patch, lambda held, session: held.events(session))


@mutation
def frequencies_over_all_sessions(patch: pytest.MonkeyPatch) -> None:
    _frequencies_over(patch, lambda held, _: held.events())


real_rank, real_selected = rank.rank, store.selected
swap(
    "every word weighs the same",
    rank,
    "inverse_frequencies",
    lambda held: dict.fromkeys([word for counts in held for word in counts], 1.0),
)
swap("the length of a text does not count", rank, "_length", lambda *_: 1.0)
swap("a tie goes to the higher id", rank, "place", lambda one: (-one[1], [-ord(c) for c in one[0]]))
swap("worst first", rank, "place", lambda one: (one[1], one[0]))
swap(
    "the limit is ignored", store, "selected", lambda r, q: real_selected(r, replace(q, limit=None))
)
swap(
    "no overlap gives everything",
    rank,
    "rank",
    lambda texts, text: real_rank(texts, text) or [(one, 0.0) for one in sorted(texts)],
)
swap("words are not case-folded", rank, "words", lambda text: re.findall(r"\w+", text))
swap("words are lowered, not folded", rank, "words", lambda text: re.findall(r"\w+", text.lower()))
swap("words are ASCII", rank, "words", lambda text: re.findall(r"[a-z0-9]+", text.casefold()))
swap("words end at spaces", rank, "words", lambda text: text.casefold().split())
swap(
    "words are looked for inside words",
    rank,
    "words",
    lambda text: [
        w[i:j] for w in words.words(text) for i in range(len(w)) for j in range(i + 1, len(w) + 1)
    ],
)

# Rule 12
swap("reasons in the opposite order", resolve, "RULES", resolve.RULES[::-1])
