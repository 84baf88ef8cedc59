"""Updates that wait in Redis for the worker, and what became of each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import uuid4

import redis

_WAITING = "updates"
_STATES_KEPT_S = 3600

State = Literal["queued", "applied", "refused"]


@dataclass(frozen=True)
class Job:
    """An update that was accepted, and not applied yet."""

    id: str
    user: str
    memo_id: str
    text: str


class Queue:
    """A list in Redis, from which the worker takes the oldest job."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    def add(self, user: str, memo_id: str, text: str) -> Job:
        """Queue an update."""
        job = Job(uuid4().hex, user, memo_id, text)
        self.mark(job, "queued")
        self._client.rpush(_WAITING, json.dumps(asdict(job)))
        return job

    def next(self, wait_s: int) -> Job | None:
        """The oldest job; None where none comes in time."""
        found = self._client.blpop([_WAITING], timeout=wait_s)
        return None if found is None else Job(**json.loads(found[1]))

    def mark(self, job: Job, state: State) -> None:
        """Say what became of a job."""
        self._client.set(f"job:{job.id}", state, ex=_STATES_KEPT_S)

    def state_of(self, job_id: str) -> str | None:
        """What became of a job; None for one that is unknown."""
        state: str | None = self._client.get(f"job:{job_id}")
        return state
