"""Tasks that go on beside an instance, and end with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import create_task_group
from anyio.abc import TaskGroup


@asynccontextmanager
async def background() -> AsyncIterator[TaskGroup]:
    """A task group whose tasks are cancelled at the end.

    What goes wrong in the block leaves as it is, not in the group that a task group makes of it.
    """
    failure: Exception | None = None
    async with create_task_group() as tasks:
        try:
            yield tasks
        except Exception as error:
            failure = error
        finally:
            tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
