"""The policy's two calls of the reference service, spoken to as any client would."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from memtru_ci.adapters import (
    Capability,
    MemoryAdapter,
    PolicyEventsAnswer,
    PolicyQueryAnswer,
    PolicyQueryRequest,
    RejectedEvent,
)
from memtru_ci.adapters.server import asgi_app
from memtru_ci.reference import policy
from memtru_ci.reference.app import reference_app
from memtru_ci.reference.service import ReferenceService
from tests.contract.conftest import Connect, speaking_to

pytestmark = pytest.mark.anyio

CITY = {
    "id": "a",
    "kind": "assertion",
    "session": "s",
    "source": "chat 7",
    "recorded_at": "2026-01-01T10:00:00+02:00",
    "key": "city",
    "value": "Lisbon",
}
MOVED = {**CITY, "id": "b", "recorded_at": "2026-01-02T00:00:00Z", "value": "Porto"}
FORGET = {
    "id": "t",
    "kind": "tombstone",
    "session": "s",
    "source": "ann",
    "recorded_at": "2026-01-03T00:00:00Z",
    "scope": "record",
    "target": "b",
}
ASK = {"session": "s", "query": None, "at": "2026-02-01T00:00:00Z", "limit": 9}


async def post(client: httpx.AsyncClient, *events: Any) -> Any:
    answer = await client.post("/policy/events", json={"events": list(events)})
    assert answer.status_code == 200
    return answer.json()


async def ask(client: httpx.AsyncClient, **changed: Any) -> Any:
    answer = await client.post("/policy/query", json={**ASK, **changed})
    assert answer.status_code == 200
    return answer.json()


async def test_events_are_taken_and_the_facts_that_hold_are_answered(
    client: httpx.AsyncClient,
) -> None:
    assert await post(client, CITY, MOVED) == {"accepted": 2, "rejected": []}
    answer = await ask(client)
    assert answer["ids"] == ["b"]
    assert answer["results"][0]["source"] == "chat 7"
    assert answer["conflicts"] == [{"key": "city", "winner": "b", "losers": ["a"]}]
    assert answer["exclusions"] == [{"id": "a", "reason": "conflict_lost", "by": "b"}]

    await post(client, FORGET)
    assert (await ask(client))["ids"] == ["a"]
    assert (await ask(client, query="porto"))["ids"] == []
    assert (await ask(client, query="lisbon city"))["ids"] == ["a"]
    assert (await ask(client, session="other"))["ids"] == []


async def test_a_bad_event_is_rejected_by_its_index_and_the_rest_is_taken(
    client: httpx.AsyncClient,
) -> None:
    naive = {**MOVED, "recorded_at": "2026-01-02T00:00:00"}
    other = {**CITY, "value": "another"}
    told = await post(client, CITY, naive, "no event", 7, None, [], other, CITY, MOVED)

    assert told["accepted"] == 3
    assert [one["index"] for one in told["rejected"]] == [1, 2, 3, 4, 5, 6]
    reasons = {one["index"]: one["reason"] for one in told["rejected"]}
    assert reasons[1].startswith("naive_timestamp")
    assert reasons[6].startswith("id_conflict")
    assert (await ask(client))["ids"] == ["b"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/policy/events", {}, "events"),
        ("/policy/events", {"events": {}}, "events"),
        ("/policy/query", {**ASK, "session": ""}, "session"),
        ("/policy/query", {**ASK, "limit": 0}, "limit"),
        ("/policy/query", {**ASK, "limit": "9"}, "limit"),
        ("/policy/query", {**ASK, "at": None}, "at"),
        ("/policy/query", {**ASK, "query": 7}, "query"),
    ],
)
async def test_an_invalid_body_is_400_and_names_the_field(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(f"{field}:")


@pytest.mark.parametrize("moment", ["2026-02-01T00:00:00", "yesterday", ""])
@pytest.mark.parametrize("field", ["at", "known_at"])
async def test_a_time_without_an_offset_is_400(
    client: httpx.AsyncClient, field: str, moment: str
) -> None:
    answer = await client.post("/policy/query", json={**ASK, field: moment})
    assert answer.status_code == 400
    assert field in answer.json()["detail"]


@pytest.mark.parametrize("defect", [None, "append_only"])
async def test_the_answers_are_the_same_after_a_restart(tmp_path: Path, defect: str | None) -> None:
    asked = [{}, {"query": "porto"}, {"at": "2026-01-01T12:00:00Z"}, {"known_at": ASK["at"]}]
    async with speaking_to(reference_app(tmp_path, defect)) as client:
        await post(client, FORGET, MOVED, CITY)
        before = [await ask(client, **one) for one in asked]
    async with speaking_to(reference_app(tmp_path, defect)) as client:
        assert [await ask(client, **one) for one in asked] == before
        assert (await post(client, {**CITY, "value": "x"}))["rejected"][0]["index"] == 0


async def test_an_inner_restart_reads_the_events_again(client: httpx.AsyncClient) -> None:
    await post(client, CITY)
    await client.post("/lifecycle/restart", json={})
    assert (await ask(client))["ids"] == ["a"]


async def test_memories_and_policy_events_live_in_worlds_of_their_own(
    client: httpx.AsyncClient,
) -> None:
    await post(client, {**CITY, "id": "mem_000001", "session": "ann"})
    written = await client.post("/memories", json={"namespace": "ann", "content": "Lisbon"})
    assert written.json()["id"] == "mem_000001"
    await client.delete("/memories/mem_000001", params={"namespace": "ann"})
    assert (await ask(client, session="ann"))["ids"] == ["mem_000001"]
    await client.delete("/namespaces/ann")
    assert (await ask(client, session="ann"))["ids"] == ["mem_000001"]


async def test_a_full_store_rejects_what_is_over_and_keeps_answering(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "MOST_EVENTS", 2)
    told = await post(client, CITY, MOVED, FORGET)
    assert told["rejected"] == [{"index": 2, "reason": policy.FULL}]
    assert (await ask(client))["ids"] == ["b"]


async def test_a_store_is_full_by_the_size_of_its_events_too(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "MOST_BYTES", 500)
    told = await post(client, CITY, {**MOVED, "value": "x" * 500})
    assert [one["index"] for one in told["rejected"]] == [1]


async def test_without_the_capability_both_calls_are_501(connect: Connect) -> None:
    async with connect(without=["POLICY_EVENTS", "POLICY_QUERY"]) as client:
        assert (await client.post("/policy/events", json={"events": []})).status_code == 501
        assert (await client.post("/policy/query", json=ASK)).status_code == 501


def test_events_of_a_transaction_that_failed_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = ReferenceService(tmp_path)
    taken = policy.Policy.take

    def fails(*arguments: Any) -> PolicyEventsAnswer:
        taken(*arguments)
        raise OSError("the disk is full")

    monkeypatch.setattr(policy.Policy, "take", fails)
    with pytest.raises(OSError, match="full"):
        service.policy_events([CITY])
    monkeypatch.undo()

    asked = PolicyQueryRequest(session="s", at="2026-02-01T00:00:00Z", limit=9)
    assert service.policy_query(asked).ids == ()
    service.close()


class Ledger(MemoryAdapter):
    """Takes everything and answers with the last id."""

    last = "nothing"

    def capabilities(self) -> list[Capability]:
        return [Capability.POLICY_EVENTS, Capability.POLICY_QUERY]

    async def policy_events(self, events: Any) -> PolicyEventsAnswer:
        self.last = events[-1]["id"]
        return PolicyEventsAnswer(accepted=1, rejected=(RejectedEvent(index=0, reason="old"),))

    def policy_query(self, query: PolicyQueryRequest) -> PolicyQueryAnswer:
        return PolicyQueryAnswer(ids=(self.last,))


async def test_an_adapter_may_implement_the_calls_and_leave_out_what_is_optional() -> None:
    async with speaking_to(asgi_app(Ledger())) as client:
        assert (await post(client, CITY, MOVED))["rejected"] == [{"index": 0, "reason": "old"}]
        assert (await ask(client))["ids"] == ["b"]


class Promising(MemoryAdapter):
    """Declares what it does not implement."""

    def capabilities(self) -> list[Capability]:
        return [Capability.POLICY_EVENTS]


class Sloppy(Ledger):
    """Answers with something else."""

    def policy_query(self, query: PolicyQueryRequest) -> Any:
        return {"ids": []}


async def test_a_capability_without_its_method_is_dropped() -> None:
    async with speaking_to(asgi_app(Promising())) as client:
        assert (await client.get("/capabilities")).json()["capabilities"] == []
        assert (await client.post("/policy/events", json={"events": []})).status_code == 501


async def test_an_adapter_that_returns_something_else_is_500() -> None:
    async with speaking_to(asgi_app(Sloppy())) as client:
        answer = await client.post("/policy/query", json=ASK)
        assert answer.status_code == 500
        assert "dict was returned" in answer.json()["detail"]
