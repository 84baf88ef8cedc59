"""Every endpoint of the contract, on the reference service."""

from typing import Any
from urllib.parse import quote

import anyio
import httpx
import jsonschema
import pytest

from memtru_ci.contract.decode import decode
from memtru_ci.contract.openapi import document
from memtru_ci.contract.operations import BY_NAME, OPERATIONS
from memtru_ci.domain.capability import Capability

pytestmark = pytest.mark.anyio
NS = {"namespace": "ann"}


async def write(client: httpx.AsyncClient, content: str, **more: Any) -> str:
    answer = await client.post("/memories", json={**NS, "content": content, **more})
    assert answer.status_code == 201
    return str(answer.json()["id"])


async def found(client: httpx.AsyncClient, query: str, namespace: str = "ann") -> list[str]:
    body = {"namespace": namespace, "query": query, "limit": 10}
    answer = await client.post("/memories/search", json=body)
    assert answer.status_code == 200
    return [one["content"] for one in answer.json()["results"]]


async def profile(client: httpx.AsyncClient) -> str:
    answer = await client.post("/lifecycle/surfaces/profile", json={**NS, "query": "any"})
    return " ".join(one["content"] for one in answer.json()["results"])


async def test_health_answers_200(client: httpx.AsyncClient) -> None:
    assert (await client.get("/health")).status_code == 200


async def test_capabilities_name_all(client: httpx.AsyncClient) -> None:
    answer = (await client.get("/capabilities")).json()
    assert answer["contract"] == "1.0"
    assert set(answer["capabilities"]) == set(map(str, Capability))


async def test_a_memory_is_written_found_updated_and_deleted(client: httpx.AsyncClient) -> None:
    memory = await write(client, "Likes green tea", metadata={"from": "chat"})
    assert memory == "mem_000001"
    assert await found(client, "tea") == ["Likes green tea"]
    changed = await client.put(f"/memories/{memory}", json={**NS, "content": "Likes black tea"})
    assert (changed.status_code, changed.json()) == (200, {"id": memory})
    assert await found(client, "TEA") == ["Likes black tea"]
    deleted = await client.delete(f"/memories/{memory}", params=NS)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert await found(client, "tea") == []
    assert await profile(client) == ""


async def test_search_gives_the_best_match_first_and_keeps_metadata(
    client: httpx.AsyncClient,
) -> None:
    await write(client, "green tea in the morning", metadata={"weight": None})
    await write(client, "a green bicycle")
    body = {**NS, "query": "green tea", "limit": 1}
    results = (await client.post("/memories/search", json=body)).json()["results"]
    assert [one["content"] for one in results] == ["green tea in the morning"]
    assert results[0]["metadata"] == {"weight": None}


async def test_a_list_is_followed_by_its_cursors_to_the_end(client: httpx.AsyncClient) -> None:
    ids = [await write(client, f"fact {number}") for number in range(5)]
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = await client.get("/memories", params={**NS, "limit": 2, "cursor": cursor})
        seen += [one["id"] for one in answer.json()["results"]]
        cursor = answer.json()["next_cursor"]
    assert seen == ids


async def test_one_namespace_never_sees_or_touches_another(client: httpx.AsyncClient) -> None:
    memory = await write(client, "Ann's secret")
    assert await found(client, "secret", namespace="bob") == []
    bobs = {"namespace": "bob"}
    assert (await client.delete(f"/memories/{memory}", params=bobs)).status_code == 404
    late = await client.put(f"/memories/{memory}", json={**bobs, "content": "stolen"})
    assert late.status_code == 404
    assert await found(client, "secret") == ["Ann's secret"]


async def test_a_namespace_that_holds_nothing_reads_as_empty(client: httpx.AsyncClient) -> None:
    assert await found(client, "anything") == []
    page = (await client.get("/memories", params=NS)).json()
    assert page == {"results": [], "next_cursor": None}
    assert await profile(client) == ""


async def test_a_missing_memory_is_404_and_a_deleted_one_410(client: httpx.AsyncClient) -> None:
    memory = await write(client, "short-lived")
    await client.delete(f"/memories/{memory}", params=NS)
    body = {**NS, "content": "late"}
    assert (await client.put(f"/memories/{memory}", json=body)).status_code == 410
    assert (await client.put("/memories/mem_9", json=body)).status_code == 404
    assert (await client.delete(f"/memories/{memory}", params=NS)).status_code == 404


async def test_a_held_write_is_applied_at_its_release(client: httpx.AsyncClient) -> None:
    memory = await write(client, "Lives in Oslo")
    held = await client.post(
        "/lifecycle/pending-writes",
        json={**NS, "content": "Lives in Bergen", "target_id": memory, "thread_id": None},
    )
    assert held.json()["executed"] is True
    assert held.json()["created"][0]["kind"] == "pending_write"
    assert await found(client, "lives") == ["Lives in Oslo"]
    released = await client.post("/lifecycle/pending-writes/release", json=NS)
    assert released.json()["processed"] == 1
    assert await found(client, "lives") == ["Lives in Bergen"]


async def test_a_held_write_of_a_deleted_memory_is_refused_and_counts_as_processed(
    client: httpx.AsyncClient,
) -> None:
    memory = await write(client, "Lives in Oslo")
    body = {**NS, "content": "Lives in Bergen", "target_id": memory}
    await client.post("/lifecycle/pending-writes", json=body)
    await client.delete(f"/memories/{memory}", params=NS)
    released = (await client.post("/lifecycle/pending-writes/release", json=NS)).json()
    assert (released["executed"], released["processed"]) == (True, 1)
    assert await found(client, "lives") == []


async def test_a_conversation_becomes_a_memory_at_the_next_session(
    client: httpx.AsyncClient,
) -> None:
    messages = [
        {"role": "user", "content": "Please remember that my cat is called Mia"},
        {"role": "assistant", "content": "I will remember Mia"},
        {"role": "user", "content": "Is Mia a good name?"},
    ]
    body = {**NS, "thread_id": "t1", "messages": messages}
    recorded = (await client.post("/lifecycle/conversations", json=body)).json()
    assert recorded["created"] == [{"kind": "thread", "id": "t1"}]
    assert await found(client, "mia") == []
    session = (await client.post("/lifecycle/sessions", json=NS)).json()
    assert [one["kind"] for one in session["created"]] == ["session", "memory"]
    assert await found(client, "mia") == ["my cat is called Mia"]
    again = (await client.post("/lifecycle/consolidate", json=NS)).json()
    assert (again["executed"], again["created"]) == (True, [])


async def test_the_profile_is_a_surface_that_sums_memories_up(client: httpx.AsyncClient) -> None:
    await write(client, "Likes tea")
    await write(client, "Has a cat")
    surfaces = (await client.get("/lifecycle/surfaces", params=NS)).json()["surfaces"]
    assert [one["name"] for one in surfaces] == ["profile"]
    text = await profile(client)
    assert "Likes tea" in text
    assert "Has a cat" in text


async def test_a_restart_keeps_memories(client: httpx.AsyncClient) -> None:
    await write(client, "Likes tea")
    assert (await client.post("/lifecycle/restart", json={})).json()["executed"] is True
    assert await found(client, "tea") == ["Likes tea"]


async def test_a_restore_brings_back_a_backup_without_what_was_deleted_since(
    client: httpx.AsyncClient,
) -> None:
    kept, gone = await write(client, "old kept"), await write(client, "old gone")
    backup = (await client.post("/lifecycle/backup", json=NS)).json()["backup_id"]
    await client.put(f"/memories/{kept}", json={**NS, "content": "new kept"})
    await client.delete(f"/memories/{gone}", params=NS)
    body = {**NS, "backup_id": backup}
    assert (await client.post("/lifecycle/restore", json=body)).json()["executed"] is True
    assert await found(client, "old") == ["old kept"]


async def test_an_unknown_backup_is_not_restored(client: httpx.AsyncClient) -> None:
    body = {**NS, "backup_id": "bak_000099"}
    receipt = (await client.post("/lifecycle/restore", json=body)).json()
    assert receipt["executed"] is False
    assert "no such backup" in receipt["detail"]


async def test_deleting_a_thread_keeps_other_threads_and_derived_memories(
    client: httpx.AsyncClient,
) -> None:
    said = {"role": "user", "content": "My derived dog"}
    body = {**NS, "thread_id": "t/1", "messages": [said]}
    await client.post("/lifecycle/conversations", json=body)
    await client.post("/lifecycle/consolidate", json=NS)
    await write(client, "My written dog", thread_id="t/1")
    await write(client, "My other dog", thread_id="t2")
    receipt = await client.delete(f"/threads/{quote('t/1', safe='')}", params=NS)
    assert receipt.status_code == 200
    assert receipt.json()["processed"] == 2
    assert sorted(await found(client, "dog")) == ["My derived dog", "My other dog"]


async def test_deleting_a_namespace_removes_all_of_it_and_it_can_be_used_again(
    client: httpx.AsyncClient,
) -> None:
    old = await write(client, "old fact")
    body = {**NS, "content": "late fact", "target_id": old}
    await client.post("/lifecycle/pending-writes", json=body)
    said = [{"role": "user", "content": "said fact"}]
    await client.post("/lifecycle/conversations", json={**NS, "thread_id": "t", "messages": said})
    assert (await client.delete("/namespaces/ann")).json()["executed"] is True
    new = await write(client, "new fact")
    await client.post("/lifecycle/sessions", json=NS)
    await client.post("/lifecycle/pending-writes/release", json=NS)
    assert new != old
    assert await found(client, "fact") == ["new fact"]


async def test_the_same_content_can_be_remembered_again_after_its_delete(
    client: httpx.AsyncClient,
) -> None:
    await client.delete(f"/memories/{await write(client, 'Likes tea')}", params=NS)
    await write(client, "Likes tea")
    assert await found(client, "tea") == ["Likes tea"]


async def test_sixty_four_clients_at_once_are_all_served(client: httpx.AsyncClient) -> None:
    ids: list[str] = []

    async def one(number: int) -> None:
        memory = await write(client, f"fact number{number}")
        assert await found(client, f"number{number}") == [f"fact number{number}"]
        ids.append(memory)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for number in range(64):
                group.start_soon(one, number)
    assert len(set(ids)) == 64


async def test_every_answer_fits_the_published_openapi_schema(client: httpx.AsyncClient) -> None:
    memory = await write(client, "Likes tea")
    published = document()
    calls: dict[str, httpx.Response] = {
        "capabilities": await client.get("/capabilities"),
        "search": await client.post("/memories/search", json={**NS, "query": "tea", "limit": 3}),
        "list": await client.get("/memories", params=NS),
        "update": await client.put(f"/memories/{memory}", json={**NS, "content": "x"}),
        "release_pending_writes": await client.post("/lifecycle/pending-writes/release", json=NS),
        "backup": await client.post("/lifecycle/backup", json=NS),
        "retrieval_surfaces": await client.get("/lifecycle/surfaces", params=NS),
        "delete_namespace": await client.delete("/namespaces/ann"),
    }
    for name, answer in calls.items():
        model = BY_NAME[name].answer
        assert model is not None
        decode(model, answer.content)
        schema = {
            "$ref": f"#/components/schemas/{model.__name__}",
            "components": published["components"],
        }
        jsonschema.validate(answer.json(), schema)


async def test_the_contract_has_no_call_that_the_service_does_not_route(
    client: httpx.AsyncClient,
) -> None:
    for operation in OPERATIONS:
        path = operation.path.replace("{", "").replace("}", "")
        answer = await client.request(operation.method, path, params=NS, content=b"{}")
        unknown = answer.status_code == 404 and "no such path" in answer.text
        assert not unknown, operation.endpoint
        assert answer.status_code not in (405, 500, 501), operation.endpoint
