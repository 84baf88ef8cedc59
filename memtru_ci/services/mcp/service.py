"""A memory service that is spoken to over MCP, through a mapping."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from pydantic import JsonValue

from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import NotOffered
from memtru_ci.ports import Answer, Memory, ServiceInfo, TakenEvents
from memtru_ci.services.mcp.advertised import ask, surface_names
from memtru_ci.services.mcp.answers import NOT_IMPLEMENTED
from memtru_ci.services.mcp.caller import Caller
from memtru_ci.services.mcp.keys import MappedOperation
from memtru_ci.services.mcp.reads import Reads
from memtru_ci.services.mcp.understanding import deleted, receipt, written


class McpMemoryService:
    """Implements `ports.MemoryService`; `greeting` is the server's answer to initialize."""

    def __init__(self, caller: Caller, greeting: JsonValue) -> None:
        self._caller = caller
        self._reads = Reads(caller)
        self._greeting = greeting

    async def info(self) -> Answer[ServiceInfo]:
        return await ask(self._caller, self._greeting)

    async def write(
        self, namespace: str, content: str, *, thread_id: str | None = None
    ) -> Answer[str]:
        mapped, known = self._caller.operation("write"), self._caller.known(namespace)
        given = self._said(namespace, [content], thread_id=thread_id)
        own_id = mapped.keys.own_id if isinstance(mapped.keys, MappedOperation) else None
        if own_id is not None:
            given["id"] = mapped.text("own_id", own_id, given)
        understand = written(known, str(given.get("id", "")))
        return await self._caller.call(mapped, namespace, given, understand)

    async def update(self, namespace: str, memory_id: str, content: str) -> Answer[str]:
        mapped, known = self._caller.operation("update"), self._caller.known(namespace)
        given = self._said(namespace, [content], id=known.raw(memory_id))
        return await self._caller.call(mapped, namespace, given, written(known, memory_id))

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        return await self._reads.search(namespace, query)

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        return await self._reads.list(namespace)

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        mapped, known = self._caller.operation("delete"), self._caller.known(namespace)
        given = self._caller.values(namespace, id=known.raw(memory_id))
        return await self._caller.call(mapped, namespace, given, deleted)

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]:
        given = self._caller.values(namespace, thread_id=thread_id)
        return await self._hook("delete_thread", namespace, given)

    async def delete_namespace(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("delete_namespace", namespace, self._caller.values(namespace))

    async def begin_pending_write(
        self, namespace: str, content: str, *, target_id: str | None, thread_id: str | None
    ) -> Answer[HookReceipt]:
        raise _not_mapped("begin_pending_write")

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]:
        raise _not_mapped("release_pending_writes")

    async def record_conversation(
        self, namespace: str, thread_id: str, messages: Sequence[str]
    ) -> Answer[HookReceipt]:
        given = self._said(namespace, messages, thread_id=thread_id)
        return await self._hook("record_conversation", namespace, given)

    async def start_session(self, namespace: str) -> Answer[HookReceipt]:
        given = self._caller.values(namespace, new_id=str(uuid4()))
        return await self._hook("start_session", namespace, given)

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("consolidate", namespace, self._caller.values(namespace))

    async def restart(self) -> Answer[HookReceipt]:
        raise _not_mapped("restart")

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        return surface_names(self._caller, namespace)

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]:
        return await self._reads.surface(namespace, surface, query)

    async def policy_events(self, events: Sequence[JsonValue]) -> Answer[TakenEvents]:
        raise _not_mapped("policy_events")

    async def policy_query(self, question: Mapping[str, JsonValue]) -> Answer[Sequence[str]]:
        raise _not_mapped("policy_query")

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        mapped, known = self._caller.operation("run"), self._caller.known(namespace)
        given = self._said(namespace, [content], thread_id=thread_id)
        return await self._caller.call(mapped, namespace, given, written(known, thread_id))

    def _said(
        self, namespace: str, texts: Sequence[str], **given: JsonValue
    ) -> dict[str, JsonValue]:
        messages: list[JsonValue] = [{"role": "user", "content": text} for text in texts]
        return self._caller.values(
            namespace, content="\n".join(texts), messages=messages, new_id=str(uuid4()), **given
        )

    async def _hook(
        self, operation: str, namespace: str, given: Mapping[str, JsonValue]
    ) -> Answer[HookReceipt]:
        mapped = self._caller.operation(operation)
        return await self._caller.call(mapped, namespace, given, receipt)


def _not_mapped(operation: str) -> NotOffered:
    return NotOffered(operation, "a mapping has no such operation", status=NOT_IMPLEMENTED)
