"""A memory service that implements the HTTP contract."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, JsonValue

from memtru_ci.contract import messages as m
from memtru_ci.contract.operations import BY_NAME
from memtru_ci.contract.receipts import ReleaseAnswer
from memtru_ci.domain.legible import legible
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.errors import ContractViolation, NotOffered
from memtru_ci.ports import Answer, Memory, ServiceInfo, TakenEvents
from memtru_ci.services.answers import reading, status_of_success
from memtru_ci.services.calls import Call, Calls
from memtru_ci.services.pages import list_all

SEARCH_LIMIT = 100
"""Results asked for in a search."""

MAX_SURFACES = 100
"""More further surfaces than that could not be read in one look."""


class ContractService:
    """Speaks the contract, version 1.0; implements `ports.MemoryService`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def info(self) -> Answer[ServiceInfo]:
        answer = await self._calls.make(
            Call(BY_NAME["capabilities"]), reading(m.CapabilitiesAnswer)
        )
        said = answer.value
        info = ServiceInfo(
            legible(said.service.name),
            legible(said.service.version),
            frozenset(said.capabilities),
            said.consistency_window_ms or 0,
        )
        return Answer(info, answer.steps)

    async def write(
        self, namespace: str, content: str, *, thread_id: str | None = None
    ) -> Answer[str]:
        body = m.WriteRequest(namespace=namespace, content=content, **_given(thread_id=thread_id))
        return await self._written(Call(BY_NAME["write"], namespace, body=body))

    async def update(self, namespace: str, memory_id: str, content: str) -> Answer[str]:
        body = m.UpdateRequest(namespace=namespace, content=content)
        return await self._written(Call(BY_NAME["update"], namespace, memory_id, body=body))

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        """The contract has no runs."""
        raise NotOffered("a run of a thread", "it is not in the contract", status=501)

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        body = m.SearchRequest(namespace=namespace, query=query, limit=SEARCH_LIMIT)
        call = Call(BY_NAME["search"], namespace, body=body, surface="search")
        answer = await self._calls.make(call, reading(m.SearchAnswer))
        found = tuple(Memory(one.content, one.id) for one in answer.value.results)
        return Answer(found, answer.steps)

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        return await list_all(self._calls, namespace)

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        call = Call(BY_NAME["delete"], namespace, memory_id, {"namespace": namespace})
        return await self._calls.make(call, status_of_success)

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]:
        call = Call(BY_NAME["delete_thread"], namespace, thread_id, {"namespace": namespace})
        return await self._receipt(call)

    async def delete_namespace(self, namespace: str) -> Answer[HookReceipt]:
        return await self._receipt(Call(BY_NAME["delete_namespace"], namespace, namespace))

    async def begin_pending_write(
        self, namespace: str, content: str, *, target_id: str | None, thread_id: str | None
    ) -> Answer[HookReceipt]:
        body = m.PendingWriteRequest(
            namespace=namespace, content=content, target_id=target_id, **_given(thread_id=thread_id)
        )
        return await self._hook("begin_pending_write", namespace, body)

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]:
        call = Call(
            BY_NAME["release_pending_writes"], namespace, body=m.Scoped(namespace=namespace)
        )
        return await self._receipt(call, ReleaseAnswer)

    async def record_conversation(
        self, namespace: str, thread_id: str, messages: Sequence[str]
    ) -> Answer[HookReceipt]:
        said = tuple(m.ChatMessage(role="user", content=text) for text in messages)
        body = m.ConversationRequest(namespace=namespace, thread_id=thread_id, messages=said)
        return await self._hook("record_conversation", namespace, body)

    async def start_session(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("start_session", namespace, m.Scoped(namespace=namespace))

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook("consolidate", namespace, m.Scoped(namespace=namespace))

    async def restart(self) -> Answer[HookReceipt]:
        return await self._hook("restart", "", m.RestartRequest())

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        """The names of further surfaces. Raises `ContractViolation` for over 100 of them."""
        operation = BY_NAME["retrieval_surfaces"]
        call = Call(operation, namespace, query={"namespace": namespace})
        answer = await self._calls.make(call, reading(m.SurfacesAnswer))
        names = tuple(dict.fromkeys(one.name for one in answer.value.surfaces))
        if len(names) > MAX_SURFACES:
            why = f"surfaces: {len(names)} of them; at most {MAX_SURFACES} can be watched"
            raise ContractViolation(operation.endpoint, why, answer.steps, field="surfaces")
        return Answer(names, answer.steps)

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]:
        body = m.InspectRequest(namespace=namespace, query=query)
        call = Call(BY_NAME["inspect_surface"], namespace, surface, body=body, surface=surface)
        answer = await self._calls.make(call, reading(m.InspectAnswer))
        shown = tuple(Memory(one.content, one.id or "") for one in answer.value.results)
        return Answer(shown, answer.steps)

    async def policy_events(self, events: Sequence[JsonValue]) -> Answer[TakenEvents]:
        """Raises `ContractViolation` also where a rejected index is none of the events'."""
        operation = BY_NAME["policy_events"]
        body = m.PolicyEventsRequest(events=tuple(events))
        answer = await self._calls.make(Call(operation, body=body), reading(m.PolicyEventsAnswer))
        rejected = tuple((one.index, legible(one.reason)) for one in answer.value.rejected)
        if any(index >= len(events) for index, _ in rejected):
            why = f"rejected: an index is over the last one, {len(events) - 1}"
            raise ContractViolation(operation.endpoint, why, answer.steps, field="rejected")
        return Answer(TakenEvents(answer.value.accepted, rejected), answer.steps)

    async def policy_query(self, question: Mapping[str, JsonValue]) -> Answer[Sequence[str]]:
        call = Call(BY_NAME["policy_query"], body=m.PolicyQueryRequest.model_validate(question))
        answer = await self._calls.make(call, reading(m.PolicyQueryAnswer))
        return Answer(answer.value.ids, answer.steps)

    async def _written(self, call: Call) -> Answer[str]:
        answer = await self._calls.make(call, reading(m.WrittenAnswer))
        return Answer(answer.value.id, answer.steps)

    async def _hook(self, name: str, namespace: str, body: BaseModel) -> Answer[HookReceipt]:
        return await self._receipt(Call(BY_NAME[name], namespace, body=body))

    async def _receipt(
        self, call: Call, model: type[HookReceipt] = HookReceipt
    ) -> Answer[HookReceipt]:
        answer = await self._calls.make(call, reading(model))
        said = answer.value
        receipt = HookReceipt(
            executed=said.executed,
            detail=legible(said.detail),
            created=said.created,
            processed=said.processed,
        )
        return Answer(receipt, answer.steps)


def _given(**optional: str | None) -> dict[str, Any]:
    """The optional fields that have a value; a body leaves out the others."""
    return {name: value for name, value in optional.items() if value is not None}
