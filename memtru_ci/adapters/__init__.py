"""Put a Python memory behind the HTTP contract.

Inherit from `MemoryAdapter` and, for lifecycle events, from `MemoryLifecycleHooks`; declare what
you implement in `capabilities()`; serve it with `memtru-ci serve --adapter package.module:Class`.
Every method may be plain or `async`. Plain ones run in worker threads, several at once.
"""

from memtru_ci.adapters.base import AdapterInfo, Context, Deletion, MemoryAdapter
from memtru_ci.adapters.faults import NoSuchRecord, NotSupported, RecordGone, RefusedRequest
from memtru_ci.adapters.lifecycle import MemoryLifecycleHooks
from memtru_ci.contract.messages import (
    BackupReceipt,
    ChatMessage,
    FoundMemory,
    ListAnswer,
    PolicyEventsAnswer,
    PolicyQueryAnswer,
    PolicyQueryRequest,
    RejectedEvent,
    Surface,
    SurfaceResult,
)
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind

__all__ = [
    "AdapterInfo",
    "BackupReceipt",
    "Capability",
    "ChatMessage",
    "Context",
    "CreatedRecord",
    "Deletion",
    "FoundMemory",
    "HookReceipt",
    "ListAnswer",
    "MemoryAdapter",
    "MemoryLifecycleHooks",
    "NoSuchRecord",
    "NotSupported",
    "PolicyEventsAnswer",
    "PolicyQueryAnswer",
    "PolicyQueryRequest",
    "RecordGone",
    "RecordKind",
    "RefusedRequest",
    "RejectedEvent",
    "Surface",
    "SurfaceResult",
]
