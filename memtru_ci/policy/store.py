"""The store: takes events in any order and answers queries about one session."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memtru_ci.policy import answer as answers
from memtru_ci.policy import events, rank
from memtru_ci.policy.answer import Answer, Exclusion, Result
from memtru_ci.policy.events import Event, EventRejected
from memtru_ci.policy.query import Query
from memtru_ci.policy.resolve import Resolution, View, is_known, resolve
from memtru_ci.policy.session import Session

ID_CONFLICT = "id_conflict"

CHAIN_SHOWN = 100
"""Ids of a chain of corrections that a result carries, from its target on."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An event that was not taken: its place in the call, from 0, and why."""

    index: int
    reason: str


class PolicyStore:
    """Events in memory. The visible set is a function of their set, not of their order.

    Not for several threads at once, and not durable: whoever needs that keeps the events.
    """

    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self._sessions: dict[str, Session] = {}

    def add(self, raw: object) -> str | None:
        """Take in one event; the reason where it is rejected. Costs about the event's size."""
        try:
            return self.admit(events.parse(raw))
        except EventRejected as rejected:
            return rejected.reason

    def add_all(self, raws: Iterable[object]) -> list[Rejection]:
        """Take in events; each bad one is rejected by itself, and the rest is kept."""
        reasons = ((index, self.add(raw)) for index, raw in enumerate(raws))
        return [Rejection(index, reason) for index, reason in reasons if reason is not None]

    def admit(self, event: Event) -> str | None:
        """Take in a checked event; ids are unique per store, whatever the session."""
        held = self._events.get(event.id)
        if held is not None:
            return None if held == event else ID_CONFLICT
        self._events[event.id] = event
        self._sessions.setdefault(event.session, Session()).add(event)
        return None

    def query(self, query: Query) -> Answer:
        """The winners of the session, or those that share a word with the query's text."""
        session = self._sessions.get(query.session, Session())
        resolution = resolve(session, query)
        scores = selected(resolution, query)
        kept = {one.id: one for one in resolution.winners}
        not_ranked = [Exclusion(one, answers.NOT_RANKED) for one in kept if one not in scores]
        return Answer(
            ids=tuple(scores),
            results=tuple(
                _result(kept[one], score, session, resolution.view) for one, score in scores.items()
            ),
            conflicts=resolution.conflicts,
            exclusions=tuple(sorted([*resolution.exclusions, *not_ranked], key=lambda one: one.id)),
        )

    def events(self, session: str | None = None) -> Iterator[Event]:
        """The events that were taken, of one session or of all."""
        if session is None:
            yield from self._events.values()
        else:
            yield from self._sessions.get(session, Session())


def selected(resolution: Resolution, query: Query) -> dict[str, float | None]:
    """The ids to return, best first, with their scores; without a text all, the lower id first."""
    if query.text is None:
        return dict.fromkeys([one.id for one in resolution.winners][: query.limit])
    texts = {one.id: ranked_text(one, resolution.view) for one in resolution.winners}
    return dict(rank.rank(texts, query.text)[: query.limit])


def ranked_text(fact: Event, view: View) -> str:
    """What a fact is found by: its key and its value."""
    return f"{view.key_of(fact)} {fact.value}"


def _result(fact: Event, score: float | None, session: Session, view: View) -> Result:
    return Result(
        id=fact.id,
        kind=fact.kind,
        key=view.key_of(fact) or "",
        value=fact.value,
        source=fact.source,
        recorded_at=fact.recorded_at,
        valid_from=fact.begins,
        valid_to=fact.valid_to,
        corrects=tuple(_chain(fact, session, view)),
        score=score,
    )


def _chain(fact: Event, session: Session, view: View) -> Iterator[str]:
    parents = view.standing.lineage.parents
    for _ in range(CHAIN_SHOWN):
        target = parents.get(fact.id)
        if target is None or not is_known(session.facts[target].recorded_at, view.query):
            return
        yield target
        fact = session.facts[target]
