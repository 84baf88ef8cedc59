"""The baseline: a session-scoped append-only memory, as many agents have it."""

from collections.abc import Iterator

from memtru_ci.policy.answer import NOT_RANKED, Answer, Exclusion, Result
from memtru_ci.policy.events import Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.store import PolicyStore
from memtru_ci.policy.words import words


class AppendOnlyStore(PolicyStore):
    """Keeps sessions apart and checks events as the engine does, and knows no other rule.

    Corrections are further facts; validity, `known_at` and tombstones are ignored; nothing wins.
    A text finds the facts with most of its words.
    """

    def query(self, query: Query) -> Answer:
        """Everything of the session, or what shares a word with the query's text."""
        facts = [one for one in self.events(query.session) if one.is_fact]
        chosen = _chosen(facts, query)
        left = {one.id for one in facts} - {one.id for one, _ in chosen}
        return Answer(
            ids=tuple(one.id for one, _ in chosen),
            results=tuple(_result(one, score) for one, score in chosen),
            exclusions=tuple(Exclusion(one, NOT_RANKED) for one in sorted(left)),
        )

    def events(self, session: str | None = None) -> Iterator[Event]:
        """The events that were taken, in order of their ids."""
        yield from sorted(super().events(session), key=lambda one: one.id)


def _chosen(facts: list[Event], query: Query) -> list[tuple[Event, float | None]]:
    chosen: list[tuple[Event, float | None]] = [(one, None) for one in facts]
    if query.text is None:
        return chosen[: query.limit]
    wanted = set(words(query.text))
    shared = [(one, len(wanted & set(words(f"{one.key or ''} {one.value}")))) for one in facts]
    found = sorted((-count, one.id, one) for one, count in shared if count)
    chosen = [(one, float(-count)) for count, _, one in found]
    return chosen[: query.limit]


def _result(fact: Event, score: float | None) -> Result:
    return Result(
        id=fact.id,
        kind=fact.kind,
        key=fact.key or "",
        value=fact.value,
        source=fact.source,
        recorded_at=fact.recorded_at,
        valid_from=fact.begins,
        valid_to=fact.valid_to,
        score=score,
    )
