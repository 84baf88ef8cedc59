"""The graphs: a conversation, a change of one memory, an ingestion cycle, a recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import Item
from langgraph.types import interrupt

from memory_app.memory_manager import IngestState, MemoryManager, WriteState
from memory_app.names import conversation_thread, memories_of, threads_of
from memory_app.persistence import Persistence, everything_on
from memory_app.ranking import ranked
from memory_app.statements import Statement, statements_in

Graph = CompiledStateGraph[Any, Any, Any, Any]


class ConversationState(TypedDict):
    """What a thread's checkpoints hold; the reducer appends and gives every message an id."""

    messages: Annotated[list[AnyMessage], add_messages]


class RecallState(TypedDict, total=False):
    """A question to the memory, and the memories that answer it with their scores."""

    namespace: str
    query: str
    found: list[tuple[float, Item]]


@dataclass(frozen=True)
class Graphs:
    """The compiled graphs; `deferred` is `write` with a checkpointer, so that a run can be held."""

    conversation: Graph
    write: Graph
    deferred: Graph
    ingest: Graph
    recall: Graph


def build_graphs(kept: Persistence, manager: MemoryManager) -> Graphs:
    """Compile every graph over the given checkpointer and store."""
    write = _write_graph(manager)
    return Graphs(
        conversation=_conversation_graph().compile(
            checkpointer=kept.checkpointer, store=kept.store
        ),
        write=write.compile(store=kept.store),
        deferred=write.compile(checkpointer=kept.checkpointer, store=kept.store),
        ingest=_ingest_graph(kept, manager).compile(store=kept.store),
        recall=_recall_graph(kept).compile(store=kept.store),
    )


def _conversation_graph() -> StateGraph[Any, Any, Any, Any]:
    def reply(state: ConversationState) -> dict[str, list[BaseMessage]]:
        return {"messages": [AIMessage("Understood.")]}

    graph = StateGraph(ConversationState)
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    graph.add_edge("reply", END)
    return graph


def _write_graph(manager: MemoryManager) -> StateGraph[Any, Any, Any, Any]:
    def first_node(state: WriteState) -> Literal["hold", "forget"]:
        return "forget" if state["action"] == "forget" else "hold"

    def hold(state: WriteState) -> dict[str, Any]:
        if state["deferred"]:
            interrupt({"waits_to_write": state["memory_id"]})
        return {}

    graph = StateGraph(WriteState)
    graph.add_node("hold", hold)
    graph.add_node("apply", manager.apply)
    graph.add_node("forget", manager.forget)
    graph.add_conditional_edges(START, first_node)
    graph.add_edge("hold", "apply")
    graph.add_edge("apply", END)
    graph.add_edge("forget", END)
    return graph


def _ingest_graph(kept: Persistence, manager: MemoryManager) -> StateGraph[Any, Any, Any, Any]:
    def read_history(state: IngestState) -> dict[str, list[Statement]]:
        namespace = state["namespace"]
        found: list[Statement] = []
        for thread in everything_on(kept.store, threads_of(namespace)):
            messages = messages_of(kept.checkpointer, namespace, thread.key)
            found.extend(statements_in(thread.key, messages))
        return {"statements": found}

    graph = StateGraph(IngestState)
    graph.add_node("read_history", read_history)
    graph.add_node("derive", manager.derive)
    graph.add_edge(START, "read_history")
    graph.add_edge("read_history", "derive")
    graph.add_edge("derive", END)
    return graph


def _recall_graph(kept: Persistence) -> StateGraph[Any, Any, Any, Any]:
    def search(state: RecallState, runtime: Runtime) -> dict[str, list[tuple[float, Item]]]:
        memories = everything_on(kept.store, memories_of(state["namespace"]))
        return {"found": ranked(state["query"], memories)}

    graph = StateGraph(RecallState)
    graph.add_node("search", search)
    graph.add_edge(START, "search")
    graph.add_edge("search", END)
    return graph


def messages_of(checkpointer: SqliteSaver, namespace: str, thread_id: str) -> list[BaseMessage]:
    """The messages that the newest checkpoint of a conversation holds; none where it is gone."""
    thread = conversation_thread(namespace, thread_id)
    newest = checkpointer.get_tuple({"configurable": {"thread_id": thread}})
    if newest is None:
        return []
    return list(newest.checkpoint["channel_values"].get("messages", []))
