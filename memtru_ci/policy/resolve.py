"""Resolution, before any ranking: which facts win, and why each other one does not (5 to 10)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from memtru_ci.policy import answer
from memtru_ci.policy.answer import Conflict, Exclusion
from memtru_ci.policy.events import Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.removal import order_of
from memtru_ci.policy.session import Session, Standing

Precedence = tuple[datetime, datetime, str]


@dataclass(frozen=True, slots=True)
class View:
    """A session as one query sees it; `corrected_by` knows only what the query knows."""

    query: Query
    standing: Standing
    corrected_by: dict[str, str]

    def key_of(self, fact: Event) -> str | None:
        """The fact's key, as far as the way to it is known."""
        key = self.standing.lineage.keys.get(fact.id)
        return key.text if key is not None and is_known(key.since, self.query) else None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Winners in order of their ids, with what lost and what was excluded."""

    view: View
    winners: tuple[Event, ...]
    conflicts: tuple[Conflict, ...]
    exclusions: tuple[Exclusion, ...]


def resolve(session: Session, query: Query) -> Resolution:
    """Decide over every fact of a session, in time linear in their number but for sorting."""
    standing = session.standing()
    view = View(query, standing, _corrected_by(session, standing, query))
    by_key: dict[str, list[Event]] = {}
    exclusions = []
    for fact in session.facts.values():
        excluded = exclusion_of(fact, view)
        if excluded is None:
            by_key.setdefault(view.key_of(fact) or "", []).append(fact)
        else:
            exclusions.append(excluded)
    winners = {key: winner_of(rivals) for key, rivals in by_key.items()}
    conflicts = tuple(_conflicts(by_key, winners))
    exclusions += [
        Exclusion(loser, answer.CONFLICT_LOST, one.winner)
        for one in conflicts
        for loser in one.losers
    ]
    return Resolution(
        view,
        tuple(sorted(winners.values(), key=lambda one: one.id)),
        conflicts,
        tuple(exclusions),
    )


def exclusion_of(fact: Event, view: View) -> Exclusion | None:
    """The one reason why a fact is no candidate, by precedence; None where it is one."""
    for reason, holds in RULES:
        by = holds(fact, view)
        if by is not None:
            return Exclusion(fact.id, reason, by or None)
    return None


def is_known(recorded_at: datetime, query: Query) -> bool:
    """`known_at` hides what was recorded after it."""
    return query.known_at is None or recorded_at <= query.known_at


def suppresses(correction: Event, query: Query) -> bool:
    """A correction that is known suppresses its target, whatever has become of itself."""
    return is_known(correction.recorded_at, query)


def has_begun(fact: Event, at: datetime) -> bool:
    """The first instant belongs to the validity."""
    return fact.begins <= at


def has_ended(fact: Event, at: datetime) -> bool:
    """The last instant does not belong to the validity."""
    return fact.valid_to is not None and fact.valid_to <= at


def winner_of(rivals: Iterable[Event]) -> Event:
    """One winner per key: recorded last, then valid from last, then the greatest id."""
    return max(rivals, key=precedence)


def precedence(fact: Event) -> Precedence:
    """By what facts of one key are compared."""
    return fact.recorded_at, fact.begins, fact.id


def _deleted(fact: Event, view: View) -> str | None:
    return view.standing.removed_by.get(fact.id)


def _corrected(fact: Event, view: View) -> str | None:
    return view.corrected_by.get(fact.id)


def _unknown_yet(fact: Event, view: View) -> str | None:
    return None if is_known(fact.recorded_at, view.query) else ""


def _not_yet_valid(fact: Event, view: View) -> str | None:
    return None if has_begun(fact, view.query.at) else ""


def _expired(fact: Event, view: View) -> str | None:
    return "" if has_ended(fact, view.query.at) else None


def _pending_target(fact: Event, view: View) -> str | None:
    return "" if view.key_of(fact) is None else None


Rule = Callable[[Event, View], str | None]

RULES: tuple[tuple[str, Rule], ...] = (
    (answer.DELETED, _deleted),
    (answer.CORRECTED, _corrected),
    (answer.UNKNOWN_YET, _unknown_yet),
    (answer.NOT_YET_VALID, _not_yet_valid),
    (answer.EXPIRED, _expired),
    (answer.PENDING_TARGET, _pending_target),
)
"""In order: the first that speaks decides. It answers with the id of what decided, or with ""."""


def _corrected_by(session: Session, standing: Standing, query: Query) -> dict[str, str]:
    """Suppressed facts, each with the latest correction of it."""
    latest: dict[str, Event] = {}
    for child, target in standing.lineage.parents.items():
        correction = session.facts[child]
        if suppresses(correction, query):
            rival = latest.get(target)
            if rival is None or order_of(rival) < order_of(correction):
                latest[target] = correction
    return {target: one.id for target, one in latest.items()}


def _conflicts(by_key: dict[str, list[Event]], winners: dict[str, Event]) -> Iterable[Conflict]:
    for key in sorted(by_key):
        losers = sorted(one.id for one in by_key[key] if one is not winners[key])
        if losers:
            yield Conflict(key, winners[key].id, tuple(losers))
