"""The graph: one node, which shows the model the conversation so far."""

from __future__ import annotations

import os
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph


class Conversation(TypedDict):
    """What the checkpoints of a thread hold; the reducer appends."""

    messages: Annotated[list[AnyMessage], add_messages]


def conversation_graph(checkpointer: BaseCheckpointSaver[Any]) -> CompiledStateGraph[Any, Any, Any]:
    """The compiled graph; its model answers at OPENAI_BASE_URL and is never asked twice."""
    model = ChatOpenAI(
        model="gpt-4.1-mini",
        api_key=os.environ["OPENAI_API_KEY"],
        base_url=os.environ["OPENAI_BASE_URL"],
        max_retries=0,
        timeout=60,
    )

    async def answer(state: Conversation) -> dict[str, list[AnyMessage]]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(Conversation)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=checkpointer)
