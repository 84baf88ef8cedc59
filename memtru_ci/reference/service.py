"""The reference service as an adapter: every call is one transaction on the store."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memtru_ci import __version__
from memtru_ci.adapters import (
    AdapterInfo,
    BackupReceipt,
    Capability,
    ChatMessage,
    Context,
    CreatedRecord,
    Deletion,
    FoundMemory,
    HookReceipt,
    ListAnswer,
    MemoryAdapter,
    MemoryLifecycleHooks,
    NoSuchRecord,
    PolicyEventsAnswer,
    PolicyQueryAnswer,
    PolicyQueryRequest,
    RecordKind,
    Surface,
    SurfaceResult,
)
from memtru_ci.reference import backups, conversations, due, memories, namespaces, pending, profile
from memtru_ci.reference.options import Options
from memtru_ci.reference.policy import Policy
from memtru_ci.reference.store import Ledger, Store


class ReferenceService(MemoryAdapter, MemoryLifecycleHooks):
    """A durable memory with namespaces, threads, ingestion, a profile and held writes.

    Plain and thread-safe: transactions run one after the other.
    """

    def __init__(
        self,
        data_dir: Path | str | None = None,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        **options: Any,
    ) -> None:
        """Open the database in `data_dir` (a temporary folder where it is `None`).

        The other options are those of `Options`. Raises `UsageError` where one is unknown.
        """
        self._options = Options.of(**options)
        self._rules = self._options.rules
        self._sleep = sleep
        self._store = Store(Path(data_dir) if data_dir is not None else None, clock)
        self._policy = Policy(self._rules.policy)
        self._start()

    def capabilities(self) -> Collection[Capability]:
        return self._options.capabilities

    def info(self) -> AdapterInfo:
        window = self._options.consistency_window_ms
        return AdapterInfo("memtru-reference", __version__, window)

    def close(self) -> None:
        self._store.close()

    def write(self, ctx: Context, content: str, metadata: dict[str, Any] | None) -> str:
        with self._transaction() as ledger:
            return memories.insert(
                ledger, ctx.namespace, content, thread_id=ctx.thread_id, metadata=metadata
            )

    def update(self, ctx: Context, memory_id: str, content: str) -> None:
        with self._transaction() as ledger:
            memories.update(ledger, ctx.namespace, memory_id, content)

    def search(self, ctx: Context, query: str, limit: int) -> Sequence[FoundMemory]:
        with self._reading() as ledger:
            self._rules.before_search(ledger, ctx.namespace)
            return memories.search(ledger, ctx.namespace, query, limit)

    def list(self, ctx: Context, limit: int, cursor: str | None) -> ListAnswer:
        with self._reading() as ledger:
            most = min(limit, self._options.page_size)
            return memories.page(ledger, ctx.namespace, most, cursor)

    def delete(self, ctx: Context, memory_id: str) -> Deletion:
        with self._transaction() as ledger:
            row = memories.record(ledger, ctx.namespace, memory_id)
            return self._rules.bury(ledger, ctx.namespace, row)

    def delete_namespace(self, ctx: Context) -> HookReceipt:
        with self._transaction() as ledger:
            return namespaces.delete_namespace(ledger, ctx.namespace)

    def delete_thread(self, ctx: Context) -> HookReceipt:
        with self._transaction() as ledger:
            return self._rules.forget_thread(ledger, ctx, self._rules.bury)

    def begin_pending_write(
        self, ctx: Context, content: str, target_id: str | None = None
    ) -> HookReceipt:
        with self._transaction() as ledger:
            return pending.hold(ledger, ctx, content, target_id)

    def release_pending_writes(self, ctx: Context) -> HookReceipt:
        def release(ledger: Ledger) -> HookReceipt:
            return self._rules.release(ledger, ctx.namespace, self._rules.refused_write)

        return self._event(ctx.namespace, release)

    def record_conversation(self, ctx: Context, messages: Sequence[ChatMessage]) -> HookReceipt:
        with self._transaction() as ledger:
            reason = self._rules.excuse(ledger, ctx.namespace)
            return _declined(reason) or conversations.record(ledger, ctx, messages)

    def start_session(self, ctx: Context) -> HookReceipt:
        def start(ledger: Ledger) -> HookReceipt:
            number = ledger.added("INSERT INTO sessions (namespace) VALUES (?)", ctx.namespace)
            session = CreatedRecord(kind=RecordKind.SESSION, id=f"ses_{number:06d}")
            ids = self._rules.ingest_at_session(ledger, ctx.namespace)
            return _ingested("session started", ids, session)

        return self._event(ctx.namespace, start)

    def consolidate(self, ctx: Context) -> HookReceipt:
        def cycle(ledger: Ledger) -> HookReceipt:
            ids = self._rules.ingest_at_consolidation(ledger, ctx.namespace)
            return _ingested("consolidated", ids)

        return self._event(ctx.namespace, cycle)

    def restart(self) -> HookReceipt:
        with self._transaction() as ledger:
            declined = _declined(self._rules.excuse(ledger, None))
        if declined is not None:
            return declined
        self._store.reopen()
        self._start()
        return HookReceipt(executed=True, detail="the database was closed and opened again")

    def backup(self, ctx: Context) -> BackupReceipt:
        with self._transaction() as ledger:
            return backups.back_up(ledger, ctx.namespace)

    def restore(self, ctx: Context, backup_id: str) -> HookReceipt:
        def bring_back(ledger: Ledger) -> HookReceipt:
            return backups.restore(ledger, ctx.namespace, backup_id, self._rules.may_return)

        return self._event(ctx.namespace, bring_back)

    def retrieval_surfaces(self) -> Sequence[Surface]:
        return (profile.PROFILE,)

    def inspect_surface(self, ctx: Context, surface: str, query: str) -> Sequence[SurfaceResult]:
        if surface != profile.PROFILE.name:
            raise NoSuchRecord(f"there is no surface {surface!r}")
        with self._reading() as ledger:
            return profile.shown(ledger, ctx.namespace)

    def policy_events(self, events: Sequence[Any]) -> PolicyEventsAnswer:
        try:
            with self._transaction() as ledger:
                return self._policy.take(ledger, events)
        except BaseException:
            self._policy.forget()
            raise

    def policy_query(self, query: PolicyQueryRequest) -> PolicyQueryAnswer:
        with self._reading() as ledger:
            return self._policy.ask(ledger, query)

    def _start(self) -> None:
        self._policy.forget()
        with self._transaction() as ledger:
            self._rules.at_start(ledger)

    def _event(self, namespace: str, act: Callable[[Ledger], HookReceipt]) -> HookReceipt:
        with self._transaction() as ledger:
            declined = _declined(self._rules.excuse(ledger, namespace))
            if declined is not None:
                return declined
            receipt = act(ledger)
            self._rules.after_event(ledger, namespace)
            return receipt

    @contextmanager
    def _transaction(self) -> Iterator[Ledger]:
        with self._store.transaction() as ledger:
            due.settle(ledger)
            yield ledger

    @contextmanager
    def _reading(self) -> Iterator[Ledger]:
        # The delay comes before the lock: slow reads must not hold up one another.
        if self._options.read_delay_ms:
            self._sleep(self._options.read_delay_ms / 1000)
        with self._transaction() as ledger:
            yield ledger


def _declined(reason: str) -> HookReceipt | None:
    return HookReceipt(executed=False, detail=reason) if reason else None


def _ingested(what: str, ids: Sequence[str], *also: CreatedRecord) -> HookReceipt:
    made = tuple(CreatedRecord(kind=RecordKind.MEMORY, id=one) for one in ids)
    detail = f"{what}, {len(ids)} memories derived"
    return HookReceipt(executed=True, detail=detail, created=(*also, *made), processed=len(ids))
