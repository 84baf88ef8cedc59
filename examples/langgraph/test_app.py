"""What both variants promise, over the HTTP contract and real SQLite files, in one process."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Start
from starlette.testclient import TestClient

NAMESPACE = "user.1/ä"
MARKER = "Please remember: the access phrase for locker kestrel4821 is q7f3k2m9x1c8v5b4n6d0."
BYSTANDER = "Please remember: the access phrase for locker kestrel4821 is z1y2x3w4v5u6t7s8r9q0."
QUERY = "access phrase locker kestrel4821"

both_variants = pytest.mark.parametrize("honour_tombstones", [False, True])


def post(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, json={"namespace": NAMESPACE, **body})
    assert answer.status_code in (200, 201), answer.text
    return dict(answer.json())


def write(client: TestClient, content: str) -> str:
    return str(post(client, "/memories", content=content)["id"])


def delete(client: TestClient, memory_id: str) -> int:
    return client.delete(f"/memories/{memory_id}", params={"namespace": NAMESPACE}).status_code


def say(client: TestClient, thread_id: str, content: str) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return post(client, "/lifecycle/conversations", thread_id=thread_id, messages=[message])


def start_session(client: TestClient) -> dict[str, Any]:
    return post(client, "/lifecycle/sessions")


def found(client: TestClient, query: str = QUERY) -> list[dict[str, Any]]:
    return list(post(client, "/memories/search", query=query, limit=10)["results"])


def listed(client: TestClient, limit: int = 100) -> list[dict[str, Any]]:
    asked: dict[str, Any] = {"namespace": NAMESPACE, "limit": limit}
    memories: list[dict[str, Any]] = []
    while True:
        page = client.get("/memories", params=asked).json()
        memories += page["results"]
        if page["next_cursor"] is None:
            return memories
        asked["cursor"] = page["next_cursor"]


def profile(client: TestClient, query: str = QUERY) -> list[dict[str, Any]]:
    return list(post(client, "/lifecycle/surfaces/profile", query=query)["results"])


def rows(database: Path, statement: str) -> Sequence[Any]:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        return connection.execute(statement).fetchall()


def secret_of(statement: str) -> str:
    return statement.rstrip(".").split()[-1]


def seen(client: TestClient, statement: str) -> set[str]:
    """The surfaces on which the secret of a statement can be read."""
    surfaces = {"search": found(client), "list": listed(client), "profile": profile(client)}
    secret = secret_of(statement)
    return {
        name
        for name, results in surfaces.items()
        if any(secret in result["content"] for result in results)
    }


EVERYWHERE = {"search", "list", "profile"}


def ingest_and_delete_marker(client: TestClient) -> None:
    say(client, "thread-1", MARKER)
    say(client, "thread-2", BYSTANDER)
    start_session(client)
    assert seen(client, MARKER) == seen(client, BYSTANDER) == EVERYWHERE
    delete_every_memory_of(client, MARKER)
    assert seen(client, MARKER) == set()


def delete_every_memory_of(client: TestClient, statement: str) -> None:
    for result in found(client):
        if secret_of(statement) in result["content"]:
            assert delete(client, result["id"]) == 204


def hold_update_and_delete(client: TestClient) -> str:
    write(client, BYSTANDER)
    memory_id = write(client, MARKER)
    held = post(client, "/lifecycle/pending-writes", content=MARKER, target_id=memory_id)
    assert held["executed"] is True
    assert held["created"][0]["kind"] == "pending_write"
    assert delete(client, memory_id) == 204
    assert seen(client, MARKER) == set()
    return memory_id


def test_without_tombstones_a_late_write_brings_a_deleted_memory_back(start: Start) -> None:
    client = start(False)
    memory_id = hold_update_and_delete(client)
    released = post(client, "/lifecycle/pending-writes/release")
    assert released["processed"] == 1
    assert released["created"] == [{"kind": "memory", "id": memory_id}]
    assert seen(client, MARKER) == EVERYWHERE


def test_with_tombstones_a_late_write_is_dealt_with_and_refused(start: Start) -> None:
    client = start(True)
    hold_update_and_delete(client)
    released = post(client, "/lifecycle/pending-writes/release")
    assert (released["processed"], released["created"]) == (1, [])
    assert seen(client, MARKER) == set()
    assert seen(client, BYSTANDER) == EVERYWHERE


@both_variants
def test_nothing_is_kept_of_a_held_write_once_it_is_released(
    start: Start, data: Path, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    hold_update_and_delete(client)
    post(client, "/lifecycle/pending-writes/release")
    assert rows(data / "checkpoints.sqlite", "SELECT * FROM checkpoints") == []
    assert rows(data / "store.sqlite", "SELECT * FROM store WHERE prefix LIKE 'held%'") == []


def test_without_the_option_tombstones_of_earlier_days_are_not_honoured(start: Start) -> None:
    ingest_and_delete_marker(start(True))
    client = start(False)
    start_session(client)
    assert seen(client, MARKER) == EVERYWHERE


@both_variants
def test_a_held_update_of_a_memory_that_stays_is_delivered(
    start: Start, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    memory_id = write(client, "the tide table hangs at pier 7")
    post(client, "/lifecycle/pending-writes", content=MARKER, target_id=memory_id)
    assert seen(client, MARKER) == set()
    post(client, "/lifecycle/pending-writes/release")
    assert [(result["id"], result["content"]) for result in found(client)] == [(memory_id, MARKER)]


@both_variants
def test_a_held_new_memory_is_written_when_it_is_released(
    start: Start, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    post(client, "/lifecycle/pending-writes", content=MARKER, target_id=None)
    assert found(client) == []
    released = post(client, "/lifecycle/pending-writes/release")
    assert released["created"] == [{"kind": "memory", "id": found(client)[0]["id"]}]
    assert post(client, "/lifecycle/pending-writes/release")["processed"] == 0


@both_variants
def test_held_writes_are_released_in_the_order_in_which_they_were_begun(
    start: Start, data: Path, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    memory_id = write(client, "the tide table hangs at pier 7")
    for number in range(5):
        content = f"the tide table hangs at pier {number}"
        post(client, "/lifecycle/pending-writes", content=content, target_id=memory_id)
    # The store lists what changed last first, by the second: here, the writes began seconds apart.
    began = "datetime('now', '-1 hour', '+' || rowid || ' seconds')"
    rows(data / "store.sqlite", f"UPDATE store SET updated_at = {began}")
    assert post(client, "/lifecycle/pending-writes/release")["processed"] == 5
    assert [result["content"] for result in listed(client)] == ["the tide table hangs at pier 4"]


@pytest.mark.parametrize(
    ("honour_tombstones", "surfaces"), [(False, EVERYWHERE), (True, set[str]())]
)
def test_a_held_write_outlives_a_restart(
    start: Start, honour_tombstones: bool, surfaces: set[str]
) -> None:
    hold_update_and_delete(start(honour_tombstones))
    client = start(honour_tombstones)
    assert seen(client, MARKER) == set()
    assert post(client, "/lifecycle/pending-writes/release")["processed"] == 1
    assert seen(client, MARKER) == surfaces


@pytest.mark.parametrize("event", ["sessions", "consolidate"])
def test_without_tombstones_ingestion_rebuilds_what_was_deleted(start: Start, event: str) -> None:
    client = start(False)
    ingest_and_delete_marker(client)
    rebuilt = post(client, f"/lifecycle/{event}")
    assert seen(client, MARKER) == EVERYWHERE
    assert rebuilt["created"][0]["id"] in {result["id"] for result in found(client)}


@pytest.mark.parametrize("event", ["sessions", "consolidate"])
def test_with_tombstones_ingestion_leaves_deleted_what_was_deleted(
    start: Start, event: str
) -> None:
    client = start(True)
    ingest_and_delete_marker(client)
    receipt = post(client, f"/lifecycle/{event}")
    assert (receipt["executed"], receipt["created"]) == (True, [])
    assert seen(client, MARKER) == set()
    assert seen(client, BYSTANDER) == EVERYWHERE


@both_variants
def test_an_unrelated_message_still_becomes_a_memory(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    ingest_and_delete_marker(client)
    say(client, "thread-1", "Please remember: the tide table hangs at pier 7.")
    created = start_session(client)["created"]
    told = found(client, "tide table pier")
    assert told[0]["content"] == "the tide table hangs at pier 7."
    assert {"kind": "memory", "id": told[0]["id"]} in created


@pytest.mark.parametrize("thread_id", ["thread-1", "thread-3"])
def test_the_same_words_said_again_on_purpose_are_remembered_again(
    start: Start, thread_id: str
) -> None:
    client = start(True)
    ingest_and_delete_marker(client)
    say(client, thread_id, MARKER)
    start_session(client)
    assert seen(client, MARKER) == EVERYWHERE
    delete_every_memory_of(client, MARKER)
    start_session(client)
    assert seen(client, MARKER) == set()


@both_variants
def test_the_same_words_written_again_on_purpose_are_remembered_again(
    start: Start, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    hold_update_and_delete(client)
    write(client, MARKER)
    assert seen(client, MARKER) == EVERYWHERE


@both_variants
def test_thread_deletion_is_not_memory_deletion(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    say(client, "thread-1", MARKER)
    start_session(client)
    deleted = client.delete("/threads/thread-1", params={"namespace": NAMESPACE}).json()
    assert (deleted["executed"], deleted["processed"]) == (True, 1)
    assert seen(client, MARKER) == EVERYWHERE

    delete_every_memory_of(client, MARKER)
    start_session(client)
    say(client, "thread-1", "Please remember: the tide table hangs at pier 7.")
    start_session(client)
    assert seen(client, MARKER) == set(), "the thread is gone, so there is nothing to rebuild from"
    assert len(found(client, "tide table")) == 1


@both_variants
def test_memory_deletion_is_not_thread_deletion(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    ingest_and_delete_marker(client)
    deleted = client.delete("/threads/thread-1", params={"namespace": NAMESPACE}).json()
    assert deleted["processed"] == 1


@both_variants
def test_everything_is_there_again_after_a_restart(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    ingest_and_delete_marker(client)
    write(client, "the tide table hangs at pier 7")
    before = (listed(client), profile(client))
    client = start(honour_tombstones)
    assert (listed(client), profile(client)) == before
    start_session(client)
    assert bool(seen(client, MARKER)) is not honour_tombstones
    assert seen(client, BYSTANDER) == EVERYWHERE


@both_variants
def test_ingestion_makes_one_memory_of_one_message(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    say(client, "thread-1", MARKER)
    assert len(start_session(client)["created"]) == 1
    assert start_session(client)["created"] == []
    assert len(listed(client)) == 1


def test_messages_that_arrive_in_one_thread_at_once_are_all_kept(start: Start) -> None:
    client = start(True)
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda number: say(client, "thread-1", f"fact {number}"), range(16)))
    start_session(client)
    assert {result["content"] for result in listed(client)} == {f"fact {n}" for n in range(16)}


def test_with_tombstones_ingestion_keeps_what_a_user_corrected(start: Start) -> None:
    client = start(True)
    say(client, "thread-1", MARKER)
    memory_id = start_session(client)["created"][0]["id"]
    corrected = {"namespace": NAMESPACE, "content": "the locker kestrel4821 has no phrase"}
    assert client.put(f"/memories/{memory_id}", json=corrected).json() == {"id": memory_id}
    start_session(client)
    assert [result["content"] for result in found(client)] == [corrected["content"]]


@pytest.mark.parametrize(("honour_tombstones", "status"), [(False, 404), (True, 410)])
def test_an_update_of_a_deleted_memory_is_refused(
    start: Start, honour_tombstones: bool, status: int
) -> None:
    client = start(honour_tombstones)
    memory_id = write(client, MARKER)
    delete(client, memory_id)
    body = {"namespace": NAMESPACE, "content": "something else"}
    answer = client.put(f"/memories/{memory_id}", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert found(client, "something else") == []
    assert delete(client, memory_id) == 404


@both_variants
def test_a_namespace_never_shows_another_and_is_deleted_whole(
    start: Start, data: Path, honour_tombstones: bool
) -> None:
    client = start(honour_tombstones)
    memory_id = write(client, MARKER)
    say(client, "thread-1", MARKER)
    post(client, "/lifecycle/pending-writes", content=MARKER, target_id=memory_id)
    other = {"namespace": "user", "query": QUERY, "limit": 10}
    assert client.post("/memories/search", json=other).json() == {"results": []}

    receipt = client.delete("/namespaces/user.1%2F%C3%A4").json()
    assert receipt["executed"] is True
    for database, table in (("store", "store"), ("checkpoints", "checkpoints")):
        assert rows(data / f"{database}.sqlite", f"SELECT * FROM {table}") == []
    start_session(client)
    assert post(client, "/lifecycle/pending-writes/release")["processed"] == 0
    assert seen(client, MARKER) == set()


@both_variants
def test_a_list_is_read_page_by_page(start: Start, honour_tombstones: bool) -> None:
    client = start(honour_tombstones)
    ids = {write(client, f"memory number {number}") for number in range(5)}
    assert {result["id"] for result in listed(client, limit=2)} == ids


def test_search_shows_the_best_match_first_and_nothing_without_a_shared_word(start: Start) -> None:
    client = start(True)
    for content in ("a locker", "the phrase for locker kestrel4821", "the tide table"):
        write(client, content)
    results = found(client)
    assert [result["content"] for result in results] == [
        "the phrase for locker kestrel4821",
        "a locker",
    ]
    assert results[0]["score"] > results[1]["score"]


def test_a_question_and_an_answer_of_the_assistant_become_no_memories(start: Start) -> None:
    client = start(True)
    messages = [
        {"role": "user", "content": "What is the access phrase for locker kestrel4821?"},
        {"role": "assistant", "content": MARKER},
    ]
    post(client, "/lifecycle/conversations", thread_id="thread-1", messages=messages)
    start_session(client)
    assert listed(client) == []


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/memories", {"namespace": "n"}, "content"),
        ("/memories", {"namespace": "", "content": "c"}, "namespace"),
        ("/memories/search", {"namespace": "n", "query": "q", "limit": "many"}, "limit"),
        ("/memories/search", {"namespace": "n", "query": "q", "limit": True}, "limit"),
        ("/memories/search", {"namespace": "n", "query": "q", "limit": 0}, "limit"),
        ("/memories", {"namespace": "n", "content": "\ud800"}, "content"),
        ("/lifecycle/pending-writes", {"namespace": "n", "content": 7}, "content"),
        ("/lifecycle/conversations", {"namespace": "n", "thread_id": "t"}, "messages"),
        ("/lifecycle/sessions", {}, "namespace"),
    ],
)
def test_a_request_outside_the_contract_is_answered_with_the_field_that_is_wrong(
    start: Start, path: str, body: dict[str, Any], field: str
) -> None:
    # The client's own encoder refuses lone surrogates; JSON escapes can carry them.
    answer = start(True).post(path, content=json.dumps(body))
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(f"{field}:")
