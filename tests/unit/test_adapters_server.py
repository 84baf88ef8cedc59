"""The server around adapters of all kinds: plain, async, incomplete and broken."""

from collections.abc import Sequence
from typing import Any

import pytest

from memtru_ci.adapters import (
    AdapterInfo,
    Capability,
    Context,
    Deletion,
    FoundMemory,
    HookReceipt,
    MemoryAdapter,
    MemoryLifecycleHooks,
    NoSuchRecord,
)
from memtru_ci.adapters.server import asgi_app
from tests.contract.conftest import speaking_to

pytestmark = pytest.mark.anyio
NS = {"namespace": "ann"}


class Plain(MemoryAdapter):
    """Keeps memories in a dict, with plain methods."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.is_closed = False

    def capabilities(self) -> list[Capability]:
        return [Capability.MEMORY_WRITE, Capability.MEMORY_SEARCH, Capability.MEMORY_DELETE]

    def info(self) -> AdapterInfo:
        return AdapterInfo("plain", "3.1", consistency_window_ms=250)

    def write(self, ctx: Context, content: str, metadata: dict[str, Any] | None) -> str:
        self.kept["1"] = content
        return "1"

    def search(self, ctx: Context, query: str, limit: int) -> Sequence[FoundMemory]:
        return [FoundMemory(id=key, content=text) for key, text in self.kept.items()]

    def delete(self, ctx: Context, memory_id: str) -> Deletion:
        if self.kept.pop(memory_id, None) is None:
            raise NoSuchRecord("not here")
        return Deletion.ACCEPTED

    def close(self) -> None:
        self.is_closed = True


class Asynchronous(MemoryAdapter, MemoryLifecycleHooks):
    """Answers from async methods, and is not ready."""

    def capabilities(self) -> list[Capability]:
        return [Capability.MEMORY_WRITE, Capability.LIFECYCLE_NEW_SESSION]

    async def is_ready(self) -> bool:
        return False

    async def write(self, ctx: Context, content: str, metadata: dict[str, Any] | None) -> str:
        return f"{ctx.namespace}/{ctx.thread_id}"

    async def start_session(self, ctx: Context) -> HookReceipt:
        return HookReceipt(executed=False, detail="no model configured")


class Broken(Plain):
    """Returns and raises what it should not."""

    def write(self, ctx: Context, content: str, metadata: dict[str, Any] | None) -> str:
        return 7  # type: ignore[return-value]

    def search(self, ctx: Context, query: str, limit: int) -> Sequence[FoundMemory]:
        raise ZeroDivisionError("no vectors" + "!" * 1000)


async def test_a_plain_adapter_is_served() -> None:
    async with speaking_to(asgi_app(Plain())) as client:
        said = (await client.get("/capabilities")).json()
        assert said["service"] == {"name": "plain", "version": "3.1"}
        assert said["consistency_window_ms"] == 250
        written = await client.post("/memories", json={**NS, "content": "x"})
        assert written.json() == {"id": "1"}
        query = {**NS, "query": "x", "limit": 1}
        found = (await client.post("/memories/search", json=query)).json()
        assert found["results"][0]["content"] == "x"
        assert (await client.delete("/memories/1", params=NS)).status_code == 202
        assert (await client.delete("/memories/1", params=NS)).status_code == 404


async def test_an_async_adapter_is_served() -> None:
    async with speaking_to(asgi_app(Asynchronous())) as client:
        assert (await client.get("/health")).status_code == 503
        body = {**NS, "content": "x", "thread_id": "t"}
        assert (await client.post("/memories", json=body)).json() == {"id": "ann/t"}
        receipt = (await client.post("/lifecycle/sessions", json=NS)).json()
        assert (receipt["executed"], receipt["detail"]) == (False, "no model configured")


async def test_a_call_that_was_not_declared_is_501() -> None:
    async with speaking_to(asgi_app(Plain())) as client:
        assert (await client.get("/memories", params=NS)).status_code == 501
        assert (await client.post("/lifecycle/consolidate", json=NS)).status_code == 501


async def test_an_answer_that_breaks_the_contract_is_500_and_says_where() -> None:
    async with speaking_to(asgi_app(Broken())) as client:
        answer = await client.post("/memories", json={**NS, "content": "x"})
        assert answer.status_code == 500
        assert "breaks the contract: id" in answer.json()["detail"]


async def test_an_exception_of_the_adapter_is_500_with_a_bounded_message() -> None:
    async with speaking_to(asgi_app(Broken())) as client:
        body = {**NS, "query": "x", "limit": 1}
        answer = await client.post("/memories/search", json=body)
        assert answer.status_code == 500
        assert answer.json()["detail"].startswith("ZeroDivisionError: no vectors")
        assert len(answer.json()["detail"]) == 500


async def test_a_hook_without_a_receipt_is_500_and_says_what_it_returned() -> None:
    class Silent(Asynchronous):
        async def start_session(self, ctx: Context) -> HookReceipt:
            return None  # type: ignore[return-value]

    async with speaking_to(asgi_app(Silent())) as client:
        answer = await client.post("/lifecycle/sessions", json=NS)
        assert answer.status_code == 500
        assert "NoneType, not a HookReceipt" in answer.json()["detail"]


async def test_the_adapter_is_closed_when_the_server_stops() -> None:
    adapter = Plain()
    sent: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup" if not sent else "lifespan.shutdown"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await asgi_app(adapter)({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert adapter.is_closed
