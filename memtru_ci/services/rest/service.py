"""A memory service that is spoken to in its own REST API, through a mapping."""

from collections.abc import Mapping, Sequence
from typing import TypeVar
from uuid import uuid4

from pydantic import JsonValue

from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import NotOffered
from memtru_ci.ports import Answer, Memory, ServiceInfo, TakenEvents
from memtru_ci.services.rest.advertised import ask, surface_names
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reads import Reads
from memtru_ci.services.rest.sender import NOT_IMPLEMENTED, Sender, Understand, steps_before
from memtru_ci.services.rest.understanding import deleted, receipt, written

T = TypeVar("T")


class RestMemoryService:
    """Implements `ports.MemoryService` and `ports.RunsThreads`."""

    def __init__(self, sender: Sender, health_path: str) -> None:
        self._sender = sender
        self._reads = Reads(sender)
        self._health_path = health_path

    async def info(self) -> Answer[ServiceInfo]:
        return await ask(self._sender, self._health_path)

    async def write(
        self, namespace: str, content: str, *, thread_id: str | None = None
    ) -> Answer[str]:
        mapped, known = self._sender.mapped("write"), self._sender.known(namespace)
        new_id = str(uuid4())
        given = self._said(mapped, content) | {"thread_id": thread_id, "new_id": new_id}
        answer = await self._sender.send(mapped, namespace, given, written(known, new_id))
        known.written[answer.value] = content
        return answer

    async def update(self, namespace: str, memory_id: str, content: str) -> Answer[str]:
        mapped, known = self._sender.mapped("update"), self._sender.known(namespace)
        given = self._said(mapped, content)
        understand = written(known, memory_id)
        answer = await self._on_record(mapped, namespace, memory_id, given, understand)
        known.written[answer.value] = content
        return answer

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        return await self._reads.search(namespace, query)

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        return await self._reads.list(namespace)

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        mapped = self._sender.mapped("delete")
        return await self._on_record(mapped, namespace, memory_id, {}, deleted)

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]:
        return await self._hook("delete_thread", namespace, {"thread_id": thread_id})

    async def delete_namespace(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("delete_namespace", namespace, {})

    async def begin_pending_write(
        self, namespace: str, content: str, *, target_id: str | None, thread_id: str | None
    ) -> Answer[HookReceipt]:
        raise _not_mapped("begin_pending_write")

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]:
        raise _not_mapped("release_pending_writes")

    async def record_conversation(
        self, namespace: str, thread_id: str, messages: Sequence[str]
    ) -> Answer[HookReceipt]:
        said = _messages(messages) | {"thread_id": thread_id, "new_id": str(uuid4())}
        return await self._hook("record_conversation", namespace, said)

    async def start_session(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("start_session", namespace, {"new_id": str(uuid4())})

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("consolidate", namespace, {})

    async def restart(self) -> Answer[HookReceipt]:
        raise _not_mapped("restart")

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        return surface_names(self._sender, namespace)

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]:
        return await self._reads.surface(namespace, surface, query)

    async def policy_events(self, events: Sequence[JsonValue]) -> Answer[TakenEvents]:
        raise _not_mapped("policy_events")

    async def policy_query(self, question: Mapping[str, JsonValue]) -> Answer[Sequence[str]]:
        raise _not_mapped("policy_query")

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        mapped, known = self._sender.mapped("run"), self._sender.known(namespace)
        given = _messages([content]) | {"thread_id": thread_id, "new_id": str(uuid4())}
        return await self._sender.send(mapped, namespace, given, written(known, thread_id))

    def _said(self, mapped: Mapped, content: str) -> dict[str, JsonValue]:
        said = _messages([content])
        if mapped.uses("content_vector"):
            said["content_vector"] = self._sender.vector(content)
        return said

    async def _on_record(
        self,
        mapped: Mapped,
        namespace: str,
        memory_id: str,
        given: Mapping[str, JsonValue],
        understand: Understand[T],
    ) -> Answer[T]:
        found = await self._reads.wanted_id(mapped, namespace, memory_id)
        values = {**given, "id": found.value}
        with steps_before(found.steps):
            answer = await self._sender.send(mapped, namespace, values, understand)
        return Answer(answer.value, (*found.steps, *answer.steps))

    async def _hook(
        self, operation: str, namespace: str, given: Mapping[str, JsonValue]
    ) -> Answer[HookReceipt]:
        return await self._sender.send(self._sender.mapped(operation), namespace, given, receipt)


def _messages(texts: Sequence[str]) -> dict[str, JsonValue]:
    said: list[JsonValue] = [{"role": "user", "content": text} for text in texts]
    return {"content": "\n".join(texts), "messages": said}


def _not_mapped(operation: str) -> NotOffered:
    return NotOffered(operation, "a mapping has no such operation", status=NOT_IMPLEMENTED)
