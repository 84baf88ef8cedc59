"""The answer to each call of the contract, made from what the adapter's method returns."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from memtru_ci.adapters.base import Context, Deletion
from memtru_ci.adapters.calls import Caller
from memtru_ci.adapters.effective import effective_capabilities
from memtru_ci.adapters.faults import NoSuchRecord
from memtru_ci.contract import VERSION
from memtru_ci.contract import messages as m

Reply: TypeAlias = tuple[int, BaseModel | None]
"""Status and body."""


@dataclass(frozen=True)
class Incoming:
    """A call whose message was read and found valid.

    `message` is the body or the query, whichever the call has; `key` is the decoded variable part
    of the path.
    """

    message: Any
    key: str = ""

    @property
    def ctx(self) -> Context:
        """Namespace and thread of the message."""
        return Context(self.message.namespace, getattr(self.message, "thread_id", None))


async def _health(call: Caller, incoming: Incoming) -> Reply:
    return (200 if await call("is_ready") else 503), None


async def _capabilities(call: Caller, incoming: Incoming) -> Reply:
    info = call.adapter.info()
    return 200, m.CapabilitiesAnswer(
        contract=VERSION,
        service=m.ServiceIdentity(name=info.name, version=info.version),
        capabilities=tuple(map(str, effective_capabilities(call.adapter).offered)),
        consistency_window_ms=info.consistency_window_ms,
    )


async def _write(call: Caller, incoming: Incoming) -> Reply:
    asked: m.WriteRequest = incoming.message
    return 201, m.WrittenAnswer(id=await call("write", incoming.ctx, asked.content, asked.metadata))


async def _update(call: Caller, incoming: Incoming) -> Reply:
    await call("update", incoming.ctx, incoming.key, incoming.message.content)
    return 200, m.WrittenAnswer(id=incoming.key)


async def _search(call: Caller, incoming: Incoming) -> Reply:
    asked: m.SearchRequest = incoming.message
    found = await call("search", incoming.ctx, asked.query, asked.limit)
    return 200, m.SearchAnswer(results=tuple(found))


async def _list(call: Caller, incoming: Incoming) -> Reply:
    asked: m.ListQuery = incoming.message
    page = await call("list", incoming.ctx, asked.limit, asked.cursor)
    return 200, m.ListAnswer(results=page.results, next_cursor=page.next_cursor)


async def _delete(call: Caller, incoming: Incoming) -> Reply:
    outcome = await call("delete", incoming.ctx, incoming.key)
    return (202 if outcome is Deletion.ACCEPTED else 204), None


async def _delete_thread(call: Caller, incoming: Incoming) -> Reply:
    ctx = Context(incoming.message.namespace, incoming.key)
    return 200, await call.receipt("delete_thread", ctx)


async def _delete_namespace(call: Caller, incoming: Incoming) -> Reply:
    return 200, await call.receipt("delete_namespace", Context(incoming.key))


async def _begin_pending_write(call: Caller, incoming: Incoming) -> Reply:
    asked: m.PendingWriteRequest = incoming.message
    arguments = (incoming.ctx, asked.content, asked.target_id)
    return 200, await call.receipt("begin_pending_write", *arguments)


async def _record_conversation(call: Caller, incoming: Incoming) -> Reply:
    messages = incoming.message.messages
    return 200, await call.receipt("record_conversation", incoming.ctx, messages)


async def _restart(call: Caller, incoming: Incoming) -> Reply:
    return 200, await call.receipt("restart")


async def _restore(call: Caller, incoming: Incoming) -> Reply:
    return 200, await call.receipt("restore", incoming.ctx, incoming.message.backup_id)


async def _retrieval_surfaces(call: Caller, incoming: Incoming) -> Reply:
    return 200, m.SurfacesAnswer(surfaces=tuple(await call("retrieval_surfaces")))


async def _inspect_surface(call: Caller, incoming: Incoming) -> Reply:
    if incoming.key not in {one.name for one in await call("retrieval_surfaces")}:
        raise NoSuchRecord("there is no surface of that name")
    shown = await call("inspect_surface", incoming.ctx, incoming.key, incoming.message.query)
    return 200, m.InspectAnswer(results=tuple(shown))


async def _policy_events(call: Caller, incoming: Incoming) -> Reply:
    return 200, _told(await call("policy_events", incoming.message.events), m.PolicyEventsAnswer)


async def _policy_query(call: Caller, incoming: Incoming) -> Reply:
    return 200, _told(await call("policy_query", incoming.message), m.PolicyQueryAnswer)


def _told(answer: Any, model: type[BaseModel]) -> BaseModel:
    if not isinstance(answer, model):
        raise TypeError(f"{type(answer).__name__} was returned, not a {model.__name__}")
    return answer


def _hook(method: str) -> Callable[[Caller, Incoming], Awaitable[Reply]]:
    async def answer(call: Caller, incoming: Incoming) -> Reply:
        return 200, await call.receipt(method, incoming.ctx)

    return answer


ANSWERS: dict[str, Callable[[Caller, Incoming], Awaitable[Reply]]] = {
    "health": _health,
    "capabilities": _capabilities,
    "write": _write,
    "update": _update,
    "search": _search,
    "list": _list,
    "delete": _delete,
    "delete_thread": _delete_thread,
    "delete_namespace": _delete_namespace,
    "begin_pending_write": _begin_pending_write,
    "release_pending_writes": _hook("release_pending_writes"),
    "record_conversation": _record_conversation,
    "start_session": _hook("start_session"),
    "consolidate": _hook("consolidate"),
    "restart": _restart,
    "backup": _hook("backup"),
    "restore": _restore,
    "retrieval_surfaces": _retrieval_surfaces,
    "inspect_surface": _inspect_surface,
    "policy_events": _policy_events,
    "policy_query": _policy_query,
}
"""By the name of the operation; a test compares it with the contract's table."""
