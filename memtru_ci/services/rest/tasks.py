"""Work that a service has only accepted: asked for until it is done, failed, or late."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio

from memtru_ci.errors import NoAnswer, ProviderError
from memtru_ci.sending import current
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.http import Reply
from memtru_ci.services.rest.expressions import is_truthy
from memtru_ci.services.rest.keys import MappedOperation, Task
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reading import Body, body_of, came, id_of, selected

T = TypeVar("T")


@dataclass(frozen=True)
class Accepted(Generic[T]):
    """What the first answer says: the task, and the value where that is in it."""

    task_id: str | int | None
    early: Understood[T] | None


def accepted(
    mapped: Mapped, reply: Reply, understand: Callable[[Mapped, Body], Understood[T]]
) -> Understood[Accepted[T]]:
    """Reads the answer that accepts a task. Raises `ServiceError`."""
    task = _task_of(mapped)
    body = body_of(mapped, reply)
    task_id = None if task.id is None else id_of(mapped, "task.id", task.id, body.value)
    early = understand(mapped, body) if task.answer == "first" else None
    return Understood(Accepted(task_id, early))


class TaskWait(Generic[T]):
    """The wait for the end of one task."""

    def __init__(
        self,
        mapped: Mapped,
        first: Accepted[T],
        understand: Callable[[Mapped, Body], Understood[T]],
    ) -> None:
        self._task = _task_of(mapped)
        self._mapped = mapped
        self._first = first
        self._understand = understand
        # A write that is held in flight is waited for as long as its request would be.
        self._patience_s = max(self._task.timeout_ms / 1000, current().deadline_s or 0)
        self._ends_at = anyio.current_time() + self._patience_s
        keys = MappedOperation(method="GET", path=self._task.path, gone=[])
        self.poll = Mapped(mapped.operation, keys, f"{mapped.place}.task")

    @property
    def interval_s(self) -> float:
        """Seconds between two requests."""
        return self._task.interval_ms / 1000

    def read(self, reply: Reply) -> Understood[Understood[T] | None]:
        """What the task has come to; null while it goes on. Raises `ServiceError`."""
        body = body_of(self.poll, reply, is_needed=True)
        failed = self._task.failed
        if failed and is_truthy(selected(self.poll, "failed", failed, body.value)):
            what = f"the task has failed: {came(body.value)}"
            raise ProviderError(self._mapped.endpoint, what, status=body.status)
        if not is_truthy(selected(self.poll, "done", self._task.done, body.value)):
            return Understood(None)
        end = self._first.early or self._understand(self._mapped, body)
        return Understood(end, end.meaning)

    def check(self) -> None:
        """Raises `NoAnswer` where the task is late."""
        if anyio.current_time() >= self._ends_at:
            waited = f"{self._patience_s:g} s"
            raise NoAnswer(self._mapped.endpoint, f"its task was not done within {waited}")


def _task_of(mapped: Mapped) -> Task:
    if mapped.keys.task is None:
        raise ValueError(f"{mapped.endpoint} has no task")
    return mapped.keys.task
