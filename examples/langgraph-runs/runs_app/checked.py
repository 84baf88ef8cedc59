"""A checkpointer that keeps nothing more of a thread once that was deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_SCHEMA = "CREATE TABLE IF NOT EXISTS deleted_thread (thread_id TEXT PRIMARY KEY)"


class CheckedSaver(AsyncSqliteSaver):
    """Notes every deletion in the same database, and drops what a run saves after it."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        super().__init__(connection)
        self._turns = asyncio.Lock()

    async def setup(self) -> None:
        """Make the tables."""
        await super().setup()
        await self.conn.execute(_SCHEMA)
        await self.conn.commit()

    async def is_deleted(self, thread_id: str) -> bool:
        """Whether the thread was there once and is gone for good."""
        query = "SELECT 1 FROM deleted_thread WHERE thread_id = ?"
        async with self.conn.execute(query, (thread_id,)) as found:
            return await found.fetchone() is not None

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of the thread, and remember that."""
        async with self._turns:
            await self.conn.execute("INSERT OR IGNORE INTO deleted_thread VALUES (?)", (thread_id,))
            await self.conn.commit()
            await super().adelete_thread(thread_id)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, unless its thread is gone."""
        place = config["configurable"]
        async with self._turns:
            if await self.is_deleted(place["thread_id"]):
                return {"configurable": {**place, "checkpoint_id": checkpoint["id"]}}
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task has written, unless its thread is gone."""
        async with self._turns:
            if not await self.is_deleted(config["configurable"]["thread_id"]):
                await super().aput_writes(config, writes, task_id, task_path)
