"""Changes of who wins, how texts rank and which reason is told: rules 10 to 12."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import pytest

from memtru_ci.policy import answer, rank, resolve, store, words
from memtru_ci.policy.events import Event
from memtru_ci.policy.query import Query
from memtru_ci.policy.session import Session
from memtru_ci.policy.store import PolicyStore
from tests.policy.mutations.registry import mutation, swap

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
