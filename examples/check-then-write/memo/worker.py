"""Applies queued updates, one after the other, in a process of its own."""

from __future__ import annotations

from memo.memos import Memos
from memo.parts import Parts

_WAIT_S = 5


def work(parts: Parts) -> None:
    """Go on until SIGTERM."""
    if parts.queue is None:
        raise ValueError("a worker needs QUEUE=true")
    memos = Memos(parts)
    print("waiting for updates", flush=True)
    while True:
        job = parts.queue.next(_WAIT_S)
        if job is not None:
            applied = memos.apply(job.user, job.memo_id, job.text)
            parts.queue.mark(job, "applied" if applied else "refused")
