"""What holds for every log: order does not matter, exports answer the same and leak nothing."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memtru_ci.policy import answer, export, log, query, trace
from memtru_ci.policy.answer import REASONS, Answer
from memtru_ci.policy.lineage import lineage_of
from memtru_ci.policy.query import Query
from memtru_ci.policy.store import PolicyStore
from tests.policy import naive
from tests.policy.logs import SESSIONS, at, logs, queries

Log = list[dict[str, Any]]


def store_of(raws: Log) -> PolicyStore:
    store = PolicyStore()
    assert store.add_all(raws) == []
    return store


def ask(store: PolicyStore, asked: dict[str, Any]) -> Answer:
    return store.query(query.parse(asked))


@settings(max_examples=150, deadline=None)
@given(logs(), queries())
def test_the_winners_are_those_of_the_rules_written_word_for_word(
    raws: Log, asked: dict[str, Any]
) -> None:
    wanted = query.parse({**asked, "query": None, "limit": None})
    winners, deleted = naive.visible(naive.parsed(raws), wanted)
    given_answer = store_of(raws).query(wanted)
    assert set(given_answer.ids) == winners
    assert {one.id for one in given_answer.exclusions if one.reason == "deleted"} == deleted


@settings(max_examples=80, deadline=None)
@given(logs(), queries(), st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_answer(
    raws: Log, asked: dict[str, Any], random: Any
) -> None:
    shuffled = random.sample(raws, len(raws))
    assert ask(store_of(shuffled), asked) == ask(store_of(raws), asked)


@settings(max_examples=80, deadline=None)
@given(logs(), queries())
def test_questions_between_the_events_change_no_answer(raws: Log, asked: dict[str, Any]) -> None:
    store = PolicyStore()
    for raw in raws:
        store.add(raw)
        ask(store, asked)
    assert ask(store, asked) == ask(store_of(raws), asked)


@settings(max_examples=80, deadline=None)
@given(logs(), queries())
def test_each_fact_of_the_session_is_selected_or_has_one_reason(
    raws: Log, asked: dict[str, Any]
) -> None:
    given_answer = ask(store_of(raws), asked)
    facts = [
        one["id"]
        for one in raws
        if one["session"] == asked["session"] and one["kind"] != "tombstone"
    ]
    told = [*given_answer.ids, *(one.id for one in given_answer.exclusions)]
    assert sorted(told) == sorted(facts)
    assert {one.reason for one in given_answer.exclusions} <= set(REASONS)
    assert [one.id for one in given_answer.results] == list(given_answer.ids)


@settings(max_examples=80, deadline=None)
@given(logs(), logs(), queries())
def test_other_sessions_change_no_answer(raws: Log, others: Log, asked: dict[str, Any]) -> None:
    mine = [one for one in raws if one["session"] == asked["session"]]
    taken = {one["id"] for one in mine}
    other = [one | {"session": "s3"} for one in others if one["id"] not in taken]
    assert ask(store_of([*other, *mine]), asked) == ask(store_of(mine), asked)


@settings(max_examples=150, deadline=None)
@given(logs(), st.lists(queries(), min_size=1, max_size=4))
def test_an_export_answers_the_same(raws: Log, asked: list[dict[str, Any]]) -> None:
    store = store_of(raws)
    document = json.loads(json.dumps(export.export(store)))
    assert export.verify(document) == []
    again, rejected = log.read(document["events"])
    assert rejected == []
    for one in asked:
        assert ask(again, one) == ask(store, one)
        assert json.dumps(answer.to_json(ask(again, one))) == json.dumps(
            answer.to_json(ask(store, one))
        )


@settings(max_examples=150, deadline=None)
@given(logs())
def test_an_export_holds_nothing_that_only_deleted_records_held(raws: Log) -> None:
    store = store_of(raws)
    text = json.dumps(export.export(store))
    deleted, kept_keys = _deleted_and_kept_keys(store)
    for raw in raws:
        if raw["id"] in deleted:
            assert f"<value-{raw['id']}>" not in text
            assert f"<source-{raw['id']}>" not in text
        if raw.get("key") is not None and raw["key"] not in kept_keys:
            assert raw["key"] not in text


@settings(max_examples=40, deadline=None)
@given(logs())
def test_an_export_of_an_export_is_the_same(raws: Log) -> None:
    document = export.export(store_of(raws))
    again, _ = log.read(document["events"])
    assert export.export(again) == document


@settings(max_examples=40, deadline=None)
@given(logs(), queries())
def test_a_trace_replays_to_its_answer(raws: Log, asked: dict[str, Any]) -> None:
    store = store_of(raws)
    document = json.loads(json.dumps(trace.write(store, query.parse(asked))))
    assert trace.verify(document) == []
    assert trace.replay(document) == answer.to_json(ask(store, asked))


def _deleted_and_kept_keys(store: PolicyStore) -> tuple[set[str], set[str]]:
    """What is deleted, and the keys that survivors have: their own, or their targets'."""
    deleted, kept = set(), set()
    for session in SESSIONS:
        asked: Query = query.parse({"session": session, "at": at(1)})
        gone = {one.id for one in store.query(asked).exclusions if one.reason == "deleted"}
        keys = lineage_of({one.id: one for one in store.events(session) if one.is_fact}).keys
        deleted |= gone
        kept |= {str(key.text) for one, key in keys.items() if one not in gone}
    return deleted, kept
