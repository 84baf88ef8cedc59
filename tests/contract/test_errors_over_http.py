"""What the server answers to calls that are wrong, unwanted or hostile."""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from memtru_ci.adapters import Capability, Context, MemoryAdapter
from memtru_ci.adapters.server import asgi_app
from memtru_ci.contract import MAX_BODY_BYTES
from tests.contract.conftest import Connect, speaking_to

pytestmark = pytest.mark.anyio
NS = {"namespace": "ann"}


def problem(answer: httpx.Response) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == answer.status_code
    return found


async def test_an_unknown_path_is_404(client: httpx.AsyncClient) -> None:
    for path in ("/", "/memory", "/memories/", "/memories/a/b", "/health/", "//memories"):
        answer = await client.get(path)
        assert answer.status_code == 404
        assert problem(answer)["title"] == "Not found"


async def test_another_method_is_405_and_says_which_are_allowed(client: httpx.AsyncClient) -> None:
    answer = await client.patch("/memories/mem_1")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "PUT, DELETE"
    problem(answer)


async def test_a_capability_that_is_hidden_is_501(connect: Connect) -> None:
    async with connect(contract="thread_checkpoint") as client:
        offered = (await client.get("/capabilities")).json()["capabilities"]
        assert "MEMORY_DELETE" not in offered
        assert "THREAD_DELETE" in offered
        answer = await client.delete("/memories/mem_1", params=NS)
        assert answer.status_code == 501
        assert "MEMORY_DELETE" in problem(answer)["detail"]


async def test_restart_is_501_unless_the_service_is_embedded(connect: Connect) -> None:
    async with connect() as client:
        assert (await client.post("/lifecycle/restart", json={})).status_code == 501


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/memories", {"content": "x"}, "namespace"),
        ("/memories", {"namespace": "ann"}, "content"),
        ("/memories", {"namespace": "ann", "content": 7}, "content"),
        ("/memories", {"namespace": "", "content": "x"}, "namespace"),
        ("/memories", {"namespace": "a" * 513, "content": "x"}, "namespace"),
        ("/memories", {"namespace": "ann", "content": None}, "content"),
        ("/memories/search", {"namespace": "ann", "query": "x", "limit": "3"}, "limit"),
        ("/memories/search", {"namespace": "ann", "query": "x", "limit": 0}, "limit"),
        (
            "/lifecycle/conversations",
            {"namespace": "ann", "thread_id": "t", "messages": [{"role": "user"}]},
            "messages.0.content",
        ),
        ("/lifecycle/restore", {"namespace": "ann"}, "backup_id"),
    ],
)
async def test_an_invalid_body_is_400_and_names_the_field(
    client: httpx.AsyncClient, path: str, body: dict[str, Any], field: str
) -> None:
    answer = await client.post(path, json=body)
    assert answer.status_code == 400
    assert problem(answer)["detail"].startswith(f"{field}:")


@pytest.mark.parametrize(
    "body", [b"", b"not json", b"[]", b"\xff\xfe{}", b'{"namespace":"a","namespace":"b"}']
)
async def test_a_body_that_is_no_acceptable_object_is_400(
    client: httpx.AsyncClient, body: bytes
) -> None:
    answer = await client.post("/memories", content=body)
    assert answer.status_code == 400
    problem(answer)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "namespace"),
        ("namespace=", "namespace"),
        ("namespace=ann&limit=many", "limit"),
        ("namespace=ann&limit=0", "limit"),
        ("namespace=ann&namespace=bob", "namespace"),
    ],
)
async def test_an_invalid_query_is_400_and_names_the_parameter(
    client: httpx.AsyncClient, query: str, field: str
) -> None:
    answer = await client.get(f"/memories?{query}")
    assert answer.status_code == 400
    assert problem(answer)["detail"].startswith(f"{field}:")


async def test_a_cursor_from_nowhere_is_400(client: httpx.AsyncClient) -> None:
    answer = await client.get("/memories", params={**NS, "cursor": "elsewhere"})
    assert answer.status_code == 400
    assert "cursor" in problem(answer)["detail"]


async def test_fields_that_the_contract_does_not_know_are_ignored(
    client: httpx.AsyncClient,
) -> None:
    body = {**NS, "content": "x", "later_version": True, "thread_id": None}
    assert (await client.post("/memories", json=body)).status_code == 201


async def test_a_body_over_the_bound_is_413(client: httpx.AsyncClient) -> None:
    body = json.dumps({**NS, "content": "x" * MAX_BODY_BYTES}).encode()
    answer = await client.post("/memories", content=body)
    assert answer.status_code == 413
    problem(answer)


async def test_without_the_token_everything_but_health_is_401(connect: Connect) -> None:
    async with connect(token="s3cret") as client:
        assert (await client.get("/health")).status_code == 200
        missing = await client.get("/capabilities")
        assert missing.status_code == 401
        assert missing.headers["www-authenticate"] == "Bearer"
        problem(missing)
        wrong = {"Authorization": "Bearer wrong"}
        assert (await client.get("/capabilities", headers=wrong)).status_code == 401
        right = {"Authorization": "Bearer s3cret"}
        assert (await client.get("/capabilities", headers=right)).status_code == 200


class Echo(MemoryAdapter):
    """Knows only the id it was given last."""

    seen = ""

    def capabilities(self) -> list[Capability]:
        return [Capability.MEMORY_DELETE]

    async def delete(self, ctx: Context, memory_id: str) -> None:
        self.seen = memory_id


@pytest.mark.parametrize("memory_id", ["a/b", "../../x", "a%2Fb", "search", "ü €", "?x=1#y", " "])
async def test_an_id_reaches_the_adapter_exactly_as_it_is(memory_id: str) -> None:
    adapter = Echo()
    async with speaking_to(asgi_app(adapter)) as client:
        path = f"/memories/{quote(memory_id, safe='')}"
        assert (await client.delete(path, params=NS)).status_code == 204
    assert adapter.seen == memory_id


async def test_an_id_that_is_no_utf8_or_too_long_is_400() -> None:
    async with speaking_to(asgi_app(Echo())) as client:
        for segment in ("%ff", "x" * 513):
            answer = await client.delete(f"/memories/{segment}", params=NS)
            assert answer.status_code == 400
            assert problem(answer)["detail"].startswith("id:")


async def test_an_unknown_surface_is_404(client: httpx.AsyncClient) -> None:
    answer = await client.post("/lifecycle/surfaces/nowhere", json={**NS, "query": "x"})
    assert answer.status_code == 404
