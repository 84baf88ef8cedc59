"""Held writes: graph runs that LangGraph interrupts before they write, and resumes later.

The checkpointer keeps an interrupted run, so a held write outlives a restart of the process, as a
job in a queue would. Nothing here looks for tombstones: that is for the node that writes.
"""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import Item
from langgraph.types import Command

from memory_app.names import held_writes_of, new_memory_id, new_run_id, write_thread
from memory_app.persistence import Persistence, everything_on
from memory_app.receipts import Record, receipt


class HeldWrites:
    """The deferred writes of every user; the caller sees to it that calls take turns."""

    def __init__(self, kept: Persistence, deferred: CompiledStateGraph[Any, Any, Any, Any]) -> None:
        self._kept = kept
        self._deferred = deferred

    def begin(self, namespace: str, content: str, target_id: str | None) -> dict[str, Any]:
        """Run the write graph up to its interrupt."""
        run_id = new_run_id()
        memory_id = target_id or new_memory_id()
        self._kept.store.put(held_writes_of(namespace), run_id, {"memory_id": memory_id})
        change = {
            "action": "update" if target_id else "write",
            "namespace": namespace,
            "memory_id": memory_id,
            "content": content,
            "deferred": True,
        }
        config = _run(namespace, run_id)
        stopped = self._deferred.invoke(change, config, durability="sync")
        held = "__interrupt__" in stopped
        detail = "run interrupted before its write" if held else "the run was not interrupted"
        return receipt(detail, [Record("pending_write", run_id)], int(held), executed=held)

    def release(self, namespace: str) -> dict[str, Any]:
        """Resume every held run of a user and let it end as it would."""
        outcomes = []
        created = []
        for held in self._in_order(namespace):
            outcome = self._resume(namespace, held.key)
            if outcome == "created":
                created.append(Record("memory", held.value["memory_id"]))
            if outcome is not None:
                outcomes.append(outcome)
        detail = f"held writes resumed: {', '.join(outcomes) or 'none'}"
        return receipt(detail, created, len(outcomes))

    def drop(self, namespace: str) -> int:
        """Delete held runs without resuming them; says how many there were."""
        held = self._in_order(namespace)
        for run in held:
            self._remove(namespace, run.key)
        return len(held)

    def _resume(self, namespace: str, run_id: str) -> str | None:
        config = _run(namespace, run_id)
        # A run that a killed process had already finished has nothing next.
        waiting = bool(self._deferred.get_state(config).next)
        outcome = None
        if waiting:
            done = self._deferred.invoke(Command(resume=True), config, durability="sync")
            outcome = str(done["outcome"])
        self._remove(namespace, run_id)
        return outcome

    def _in_order(self, namespace: str) -> list[Item]:
        held = everything_on(self._kept.store, held_writes_of(namespace))
        return sorted(held, key=lambda item: item.key)

    def _remove(self, namespace: str, run_id: str) -> None:
        self._kept.checkpointer.delete_thread(write_thread(namespace, run_id))
        self._kept.store.delete(held_writes_of(namespace), run_id)


def _run(namespace: str, run_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": write_thread(namespace, run_id)}}
