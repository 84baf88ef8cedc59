"""Sends the operations of a mapping: prepares a namespace, sends once, and waits for tasks."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar
from uuid import uuid4

import anyio
from pydantic import JsonValue

from memtru_ci.errors import NotOffered, ServiceError
from memtru_ci.ports import Answer
from memtru_ci.services.exchanges import Exchanges, Request, Understood
from memtru_ci.services.http import Reply
from memtru_ci.services.rest.keys import MappedOperation, Step
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.mapping import RestMapping
from memtru_ci.services.rest.reading import Body, body_of, selected
from memtru_ci.services.rest.remembered import Namespace, Remembered
from memtru_ci.services.rest.tasks import Accepted, TaskWait, accepted

T = TypeVar("T")

Understand = Callable[[Mapped, Body], Understood[T]]
"""Makes a value of the body of a success. Raises `ServiceError`."""

Sleep = Callable[[float], Awaitable[None]]

NOT_IMPLEMENTED = 501


class Sender:
    """Sends for one trial; `remembered` is shared by all of them."""

    def __init__(
        self,
        mapping: RestMapping,
        exchanges: Exchanges,
        remembered: Remembered,
        token: str | None = None,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.mapping = mapping
        self.exchanges = exchanges
        self._remembered = remembered
        self._token = token
        self._sleep = sleep

    def mapped(self, operation: str) -> Mapped:
        """An operation of the contract. Raises `NotOffered` where it is not mapped."""
        operations = {str(name): keys for name, keys in self.mapping.operations.items()}
        if operation not in operations:
            why = f"`service.operations` has no {operation}"
            raise NotOffered(operation, why, status=NOT_IMPLEMENTED)
        return Mapped(operation, operations[operation], f"operations.{operation}")

    def surface(self, name: str) -> Mapped:
        """A further surface. Raises `NotOffered` where it is not mapped."""
        keys = self.mapping.surfaces.get(name)
        if keys is None:
            raise NotOffered(name, f"`service.surfaces` has no {name}", status=NOT_IMPLEMENTED)
        return Mapped("inspect_surface", keys, f"surfaces.{name}")

    def known(self, namespace: str) -> Namespace:
        """What is remembered of a namespace."""
        return self._remembered.of(namespace)

    async def send(
        self,
        mapped: Mapped,
        namespace: str,
        given: Mapping[str, JsonValue],
        understand: Understand[T],
        *,
        surface: str | None = None,
        deadline_s: float | None = None,
    ) -> Answer[T]:
        """Send the operation, once, and whatever has to come before and after it."""
        steps = list(await self._prepared(mapped.operation, namespace))
        values = {**self._values(namespace, mapped), **given}
        with steps_before(steps):
            if mapped.keys.task is not None:
                return await self._task(mapped, namespace, values, understand, steps)
            request = self._request(mapped, namespace, values, surface)

            def read(reply: Reply) -> Understood[T]:
                return understand(mapped, body_of(mapped, reply))

            answer = await self.exchanges.make(request, read, deadline_s=deadline_s)
        return Answer(answer.value, (*steps, *answer.steps))

    def bare(self, mapped: Mapped) -> Request:
        """A request that concerns no namespace."""
        values = {**self.mapping.variables, "namespace": None, "token": self._token}
        return mapped.request("", values, self.mapping.headers)

    def vector(self, text: str) -> list[JsonValue]:
        """A text as a vector of the mapped length."""
        from memtru_ci.domain.vectors import vector_of

        return list(vector_of(text, self.mapping.vector_dimensions or 1))

    async def _task(
        self,
        mapped: Mapped,
        namespace: str,
        values: Mapping[str, JsonValue],
        understand: Understand[T],
        steps: list[int],
    ) -> Answer[T]:
        request = self._request(mapped, namespace, values, None)

        def accept(reply: Reply) -> Understood[Accepted[T]]:
            return accepted(mapped, reply, understand)

        first = await self.exchanges.make(request, accept)
        steps += first.steps
        waiting = TaskWait(mapped, first.value, understand)
        poll_values = {**values, "task_id": first.value.task_id}
        while True:
            request = self._request(waiting.poll, namespace, poll_values, None)
            answer = await self.exchanges.make(request, waiting.read)
            steps += answer.steps
            if answer.value is not None:
                return Answer(answer.value.value, tuple(steps))
            waiting.check()
            await self._sleep(waiting.interval_s)

    async def _prepared(self, operation: str, namespace: str) -> tuple[int, ...]:
        """Prepare a namespace that was not used before; the steps of that."""
        known = self.known(namespace)
        async with known.preparing:
            if known.variables is not None:
                return ()
            found: dict[str, JsonValue] = {}
            steps: list[int] = []
            for number, step in enumerate(self.mapping.prepare):
                mapped = Mapped(operation, _as_operation(step), f"prepare.{number}")
                values = {**self._values(namespace, mapped), **found}
                request = self._request(mapped, namespace, values, None)
                with steps_before(steps):
                    answer = await self.exchanges.make(request, _taking(mapped, step))
                steps += answer.steps
                found |= answer.value
            known.variables = found
            return tuple(steps)

    def _values(self, namespace: str, mapped: Mapped) -> dict[str, JsonValue]:
        return {
            **self.mapping.variables,
            **(self.known(namespace).variables or {}),
            "namespace": namespace,
            "limit": mapped.keys.limit,
            "new_id": str(uuid4()),
            "token": self._token,
        }

    def _request(
        self,
        mapped: Mapped,
        namespace: str,
        values: Mapping[str, JsonValue],
        surface: str | None,
    ) -> Request:
        return mapped.request(namespace, values, self.mapping.headers, surface)


@contextmanager
def steps_before(steps: Sequence[int]) -> Iterator[None]:
    """An error tells these steps too, before its own."""
    try:
        yield
    except ServiceError as error:
        error.steps = tuple(dict.fromkeys((*steps, *error.steps)))
        raise


def _as_operation(step: Step) -> MappedOperation:
    return MappedOperation(
        method=step.method,
        path=step.path,
        query=step.query,
        body=step.body,
        status=step.status,
        gone=[],
    )


def _taking(mapped: Mapped, step: Step) -> Callable[[Reply], Understood[dict[str, JsonValue]]]:
    """Reads what later templates take from the answer."""

    def read(reply: Reply) -> Understood[dict[str, JsonValue]]:
        body = body_of(mapped, reply, is_needed=bool(step.variables))
        found: dict[str, JsonValue] = {}
        for name, expression in step.variables.items():
            value = selected(mapped, f"variables.{name}", expression, body.value)
            if value is None or value == "":
                raise mapped.misfit(f"variables.{name}", f"nothing at `{expression}`")
            found[name] = value
        return Understood(found)

    return read
