"""The engine: what the cases leave open, how much it costs, and what ranks."""

import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from memtru_ci.policy import events, lineage, rank
from memtru_ci.policy.baseline import AppendOnlyStore
from memtru_ci.policy.cases import Case, load
from memtru_ci.policy.store import CHAIN_SHOWN, PolicyStore
from memtru_ci.policy.words import words
from tests.unit.policy_examples import ask, assertion, at, correction, store_of, tombstone


def test_a_result_says_where_it_comes_from() -> None:
    store = store_of(
        assertion("a", source="chat"),
        correction("b", "a", source="form"),
        correction("c", "b", 3, source="mail", valid_to=at(20)),
    )
    (result,) = ask(store).results
    assert (result.id, result.kind, result.key, result.value) == (
        "c",
        "correction",
        "city",
        "value of c",
    )
    assert (result.source, result.corrects, result.score) == ("mail", ("b", "a"), None)
    assert result.recorded_at == result.valid_from
    assert result.valid_to is not None


def test_a_conflict_names_winner_and_losers() -> None:
    store = store_of(assertion("a"), assertion("b", 2), assertion("c", 3))
    (conflict,) = ask(store).conflicts
    assert (conflict.key, conflict.winner, conflict.losers) == ("city", "c", ("a", "b"))


def test_a_correction_keeps_the_key_of_a_deleted_target() -> None:
    store = store_of(assertion("a"), tombstone("d", target="a"), correction("c", "a", 4))
    (result,) = ask(store).results
    assert (result.id, result.key) == ("c", "city")


def test_a_correction_has_no_key_before_its_target_is_known() -> None:
    store = store_of(assertion("a", 5), correction("c", "a", 2))
    answer = ask(store, known_at=at(3))
    assert answer.ids == ()
    assert {one.id: one.reason for one in answer.exclusions} == {
        "a": "corrected",
        "c": "pending_target",
    }
    assert ask(store, known_at=at(5)).ids == ("c",)


def test_a_chain_of_a_result_ends_at_what_is_not_known_yet() -> None:
    store = store_of(assertion("a", 5), correction("c", "a", 2, key="job"))
    assert ask(store, known_at=at(3)).results[0].corrects == ()


def test_ids_without_a_text_are_in_order_and_limited() -> None:
    store = store_of(*(assertion(name, key=name) for name in "cab"))
    assert ask(store).ids == ("a", "b", "c")
    answer = ask(store, limit=2)
    assert answer.ids == ("a", "b")
    assert [(one.id, one.reason) for one in answer.exclusions] == [("c", "not_ranked")]
    assert ask(store, limit=0).ids == ()


def test_an_empty_text_has_no_words_and_finds_nothing() -> None:
    assert ask(store_of(assertion("a")), query="").ids == ()


def test_a_fact_is_found_by_its_key_and_its_inherited_key() -> None:
    store = store_of(assertion("a", value="Lisbon"), correction("c", "a", value="Porto"))
    assert ask(store, query="city").ids == ("c",)
    assert 0 < (ask(store, query="porto").results[0].score or 0) <= 1


def test_words_of_every_script_stay_whole() -> None:
    assert words("Ärger, naïve—İstanbul!") == ["ärger", "naïve", "i̇stanbul"]
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words("cafe\u0301") == words("CAFÉ") == ["café"]
    assert words("snake_case x2") == ["snake_case", "x2"]
    assert words("\u2026?!") == []


def test_a_score_does_not_hang_on_the_order_of_the_texts() -> None:
    texts = {name: f"{name} shared {'filler ' * number}" for number, name in enumerate("abcdef")}
    backwards = dict(reversed(texts.items()))
    assert rank.rank(texts, "shared filler") == rank.rank(backwards, "shared filler")


def test_the_events_that_were_taken_come_back() -> None:
    store = store_of(assertion("a"), assertion("b", session="s2"), tombstone("d", target="a"))
    assert [one.id for one in store.events()] == ["a", "b", "d"]
    assert [one.id for one in store.events("s1")] == ["a", "d"]
    assert list(store.events("nobody")) == []


def test_asking_an_unknown_session_makes_none() -> None:
    store = PolicyStore()
    assert ask(store, session="nobody").ids == ()
    assert list(store.events()) == []


def test_a_rejected_conflict_leaves_what_is_held() -> None:
    store = store_of(assertion("a", value="first"))
    assert store.add(assertion("a", value="second")) == "id_conflict"
    assert store.add(assertion("a", value="first")) is None
    assert ask(store).results[0].value == "first"


@pytest.mark.parametrize("case", load(), ids=lambda one: one.name)
def test_the_answer_after_each_event_is_that_of_a_fresh_store(case: Case) -> None:
    store, taken = PolicyStore(), list[Any]()
    for raw in case.events:
        store.add(raw)
        taken.append(raw)
        for question in case.questions:
            fresh = PolicyStore()
            fresh.add_all(taken)
            assert store.query(question.query) == fresh.query(question.query)


def many(count: int, sessions: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield assertion(f"e{number}", key=f"k{number % 7}", session=f"s{number % sessions}")


def test_a_hundred_thousand_events_in_one_call_are_taken_and_the_bad_ones_named() -> None:
    store = PolicyStore()
    calls = ({"kind": "rumour"} if one["id"].endswith("999") else one for one in many(100_000, 50))
    rejected = store.add_all(calls)
    assert [one.index for one in rejected] == list(range(999, 100_000, 1000))
    assert sum(1 for _ in store.events()) == 99_900


def test_what_an_event_occupies_does_not_grow_with_the_store() -> None:
    store = PolicyStore()
    store.add_all(many(1000, 10))
    sizes = []
    for start in (1000, 10_000, 19_000):
        tracemalloc.start()
        store.add_all(assertion(f"x{number}") for number in range(start, start + 1000))
        sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert max(sizes) < 1000 * 2000


def test_a_query_parses_and_resolves_nothing_of_other_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = PolicyStore()
    store.add_all(many(3000, 3))
    seen: list[int] = []
    real = lineage.lineage_of

    def counted(facts: lineage.Facts) -> lineage.Lineage:
        seen.append(len(facts))
        return real(facts)

    monkeypatch.setattr("memtru_ci.policy.session.lineage_of", counted)
    ask(store, session="s0")
    ask(store, session="s0", query="value")
    assert seen == [1000]
    store.add(assertion("new", session="s1"))
    ask(store, session="s0")
    assert seen == [1000]
    store.add(assertion("newer", session="s0"))
    ask(store, session="s0")
    assert seen == [1000, 1001]


def test_adding_looks_at_no_event_but_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(*many(1000, 1))
    monkeypatch.setattr("memtru_ci.policy.session.lineage_of", None)
    monkeypatch.setattr("memtru_ci.policy.session.removed_by", None)
    assert store.add(assertion("new", session="s0")) is None
    assert store.add(tombstone("d", target="new", session="s0")) is None


def test_chains_and_cycles_of_any_length_are_walked_without_recursion() -> None:
    length = 20_000
    chain = [assertion("c0", valid_from=at(0))]
    chain += [correction(f"c{n}", f"c{n - 1}", 2) for n in range(1, length)]
    store = store_of(*reversed(chain))
    (result,) = ask(store).results
    assert (result.id, len(result.corrects)) == (f"c{length - 1}", CHAIN_SHOWN)
    store.add(tombstone("d", scope="chain", target="c0"))
    assert ask(store).ids == ()
    ring = [correction(f"r{n}", f"r{(n + 1) % length}", key="ring") for n in range(length)]
    # r9999 is the latest by its id, so that it does not correct r10000.
    assert ask(store_of(*ring)).ids == ("r10000",)


def test_a_pending_chain_of_any_length_is_pending() -> None:
    chain = [correction(f"c{n}", f"c{n + 1}") for n in range(20_000)]
    answer = ask(store_of(*chain))
    assert answer.ids == ()
    assert {one.reason for one in answer.exclusions} == {"corrected", "pending_target"}


def test_the_baseline_keeps_sessions_apart_and_nothing_else() -> None:
    store = AppendOnlyStore()
    log = [
        assertion("a", value="red apple", valid_to=at(2)),
        correction("c", "a", value="green apple"),
        tombstone("d", target="a"),
        assertion("o", session="s2"),
    ]
    assert store.add_all([*log, {"kind": "rumour"}])[0].index == 4
    assert ask(store).ids == ("a", "c")
    assert ask(store, query="apple red", limit=1).ids == ("a",)
    assert ask(store, query="APPLE").ids == ("a", "c")
    assert ask(store, query="pear").ids == ()
    assert ask(store, session="s2").ids == ("o",)
    assert store.add(assertion("a")) == "id_conflict"


def test_an_event_may_be_admitted_as_a_value() -> None:
    store = PolicyStore()
    assert store.admit(events.parse(assertion("a"))) is None
    assert ask(store).ids == ("a",)
