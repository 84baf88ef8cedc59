"""The presets against small services that answer as the real ones do."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from memtru_ci.errors import NoSuchRecord, ProviderError
from memtru_ci.services.rest.mapping import RestService
from tests.unit.raw_service import KeptExchanges
from tests.unit.rest_app import RestApp, Seen, connected

pytestmark = pytest.mark.anyio


class Mem0Server:
    """Answers as Mem0's REST server does; what is kept is a list of dicts."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def __call__(self, seen: Seen) -> tuple[int, Any]:
        method, _, target = seen.line.partition(" ")
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        if seen.headers.get("x-api-key") != "k" and path != "/openapi.json":
            return 401, {"detail": "Authentication required."}
        if path == "/openapi.json":
            return 200, {
                "openapi": "3.1.0",
                "info": {"title": "Mem0 REST APIs", "version": "1.0.0"},
            }
        if path == "/memories" and method == "DELETE":
            self.kept = {k: v for k, v in self.kept.items() if v["user_id"] != query["user_id"][0]}
            return 200, {"message": "All relevant memories deleted"}
        if path == "/memories" and method == "GET":
            return 200, {"results": self._of(query["user_id"][0])[: int(query["top_k"][0])]}
        if path == "/search":
            return 200, {"results": self._of(seen.body["filters"]["user_id"])}
        if path == "/memories":
            return self._add(seen.body)
        return self._one(method, path.rpartition("/")[2], seen.body)

    def _of(self, user: str) -> list[dict[str, Any]]:
        return [one for one in self.kept.values() if one["user_id"] == user]

    def _add(self, body: dict[str, Any]) -> tuple[int, Any]:
        assert body["infer"] is False
        (message,) = body["messages"]
        key = f"id-{len(self.kept)}"
        self.kept[key] = {"id": key, "memory": message["content"], "user_id": body["user_id"]}
        return 200, {"results": [{"id": key, "memory": message["content"], "event": "ADD"}]}

    def _one(self, method: str, key: str, body: Any) -> tuple[int, Any]:
        if key not in self.kept:
            return 404, {"detail": f"Memory with id {key} not found"}
        if method == "DELETE":
            del self.kept[key]
            return 200, {"message": "Memory deleted successfully"}
        self.kept[key]["memory"] = body["text"]
        return 200, {"message": "Memory updated successfully!"}


async def test_mem0_is_spoken_to_as_its_server_is_written() -> None:
    log = KeptExchanges()
    preset = RestService(kind="rest", preset="mem0")
    service = connected(RestApp(Mem0Server()), preset, "k").service(log)
    assert (await service.info()).value.version == "1.0.0"
    first = (await service.write("u1", "one")).value
    await service.write("u2", "other")
    await service.update("u1", first, "two")
    assert [one.content for one in (await service.search("u1", "q")).value] == ["two"]
    assert [one.content for one in (await service.list("u1")).value] == ["two"]
    await service.delete("u1", first)
    with pytest.raises(NoSuchRecord):
        await service.update("u1", first, "late")
    with pytest.raises(NoSuchRecord):
        await service.delete("u1", first)
    await service.delete_namespace("u2")
    assert (await service.list("u2")).value == ()


async def test_an_older_mem0_that_says_500_for_a_missing_memory_is_understood() -> None:
    app = RestApp((500, {"detail": "Memory with id x not found"}), (500, {"detail": "no disk"}))
    service = connected(app, RestService(kind="rest", preset="mem0")).service(KeptExchanges())
    with pytest.raises(NoSuchRecord):
        await service.update("u", "x", "late")
    with pytest.raises(ProviderError, match="no disk") as caught:
        await service.update("u", "x", "late")
    assert not isinstance(caught.value, NoSuchRecord)


RPC_GONE = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
        "content": [{"type": "text", "text": "memory not found in the requested store"}],
        "isError": True,
    },
}
RPC_DONE = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {"content": [{"type": "text", "text": "Versioned update successful."}]},
}
DUPLICATE = {"success": False, "message": "Duplicate content detected", "content_hash": None}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (RPC_GONE, NoSuchRecord),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "x"}}, ProviderError),
        ({"result": {"content": [{"text": "boom"}], "isError": True}}, ProviderError),
    ],
)
async def test_an_update_of_mcp_memory_service_says_what_came_of_it(
    answer: Any, error: type[Exception]
) -> None:
    app = RestApp((200, RPC_DONE), (200, answer))
    preset = RestService(kind="rest", preset="mcp-memory-service")
    service = connected(app, preset).service(KeptExchanges())
    assert (await service.update("s", "hash", "new")).value == "hash"
    arguments = app.bodies[0]["params"]["arguments"]
    assert arguments["updates"] == {"content": "new"}
    assert (arguments["content_hash"], arguments["store"]) == ("hash", "s")
    with pytest.raises(error):
        await service.update("s", "hash", "new")


async def test_a_duplicate_of_mcp_memory_service_is_a_refusal_not_a_misfit() -> None:
    preset = RestService(kind="rest", preset="mcp-memory-service")
    service = connected(RestApp((200, DUPLICATE)), preset).service(KeptExchanges())
    with pytest.raises(ProviderError, match="Duplicate"):
        await service.write("s", "x")


async def test_chroma_is_sent_vectors_and_reads_by_column() -> None:
    columns = {"ids": [["a"]], "documents": [["tea"]], "distances": None}
    app = RestApp((200, {"id": "c-1"}), (201, {}), (200, columns))
    service = connected(app, RestService(kind="rest", preset="chroma")).service(KeptExchanges())
    written = (await service.write("ns", "tea")).value
    found = (await service.search("ns", "tea")).value
    base = "/api/v2/tenants/default_tenant/databases/default_database/collections"
    assert app.lines == [f"POST {base}", f"POST {base}/c-1/add", f"POST {base}/c-1/query"]
    assert app.bodies[0] == {"name": "ns", "get_or_create": True}
    assert app.bodies[1]["ids"] == [written]
    assert app.bodies[1]["embeddings"] == app.bodies[2]["query_embeddings"]
    assert (found[0].id, found[0].content) == ("a", "tea")
    assert json.dumps(app.bodies[1])
