"""The points at which the service decides; a defect is a wrong decision at one or two of them."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memtru_ci.adapters import Context, Deletion, HookReceipt
from memtru_ci.policy.store import PolicyStore
from memtru_ci.reference import backups, conversations, memories, pending
from memtru_ci.reference.store import Ledger

Bury = Callable[[Ledger, str, sqlite3.Row], Deletion]


def bury(ledger: Ledger, namespace: str, row: sqlite3.Row) -> Deletion:
    """Delete a memory at once and for good."""
    memories.bury(ledger, namespace, row)
    return Deletion.DONE


def forget_thread(ledger: Ledger, ctx: Context, bury_one: Bury) -> HookReceipt:
    """Delete a thread, each memory in it by the same rule as a single one."""
    return conversations.delete_thread(ledger, ctx, bury_one)


def run_anyway(ledger: Ledger, namespace: str | None) -> str:
    """Nothing keeps a hook from running."""
    return ""


def nothing_more(ledger: Ledger, namespace: str) -> None:
    """An event has no further effect, and a search no obstacle."""


def nothing_at_start(ledger: Ledger) -> None:
    """Opening the database changes nothing in it."""


@dataclass(frozen=True)
class Rules:
    """How the service behaves; the defaults are correct."""

    bury: Bury = bury
    """What a delete does to a memory, alone or with its thread."""
    forget_thread: Callable[[Ledger, Context, Bury], HookReceipt] = forget_thread
    release: Callable[[Ledger, str, pending.Refused], HookReceipt] = pending.release
    refused_write: pending.Refused = pending.ignore
    """What becomes of a held write that is refused at its release."""
    ingest_at_session: Callable[[Ledger, str], Sequence[str]] = conversations.ingest
    ingest_at_consolidation: Callable[[Ledger, str], Sequence[str]] = conversations.ingest
    may_return: Callable[[Ledger, str, str], bool] = backups.is_not_deleted
    """Whether a restore brings a memory back."""
    excuse: Callable[[Ledger, str | None], str] = run_anyway
    """Why a hook does not run; empty where it does."""
    after_event: Callable[[Ledger, str], None] = nothing_more
    before_search: Callable[[Ledger, str], None] = nothing_more
    at_start: Callable[[Ledger], None] = nothing_at_start
    policy: Callable[[], PolicyStore] = PolicyStore
    """What makes sense of policy events."""


CORRECT = Rules()
