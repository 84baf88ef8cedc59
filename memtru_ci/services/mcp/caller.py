"""Calls the tools of a mapping for one trial."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import JsonValue

from memtru_ci.errors import NoSuchRecord, NotOffered
from memtru_ci.ports import Answer
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mcp.answers import NOT_IMPLEMENTED, value_of
from memtru_ci.services.mcp.attempts import Reply
from memtru_ci.services.mcp.calls import Call, Calls
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.mcp.mapping import McpMapping
from memtru_ci.services.rest.remembered import Namespace, Remembered

T = TypeVar("T")

Understand = Callable[[Mapped, JsonValue], Understood[T]]
"""Makes a value of what the mapping selects from. Raises `ServiceError`."""

CALL = "tools/call"


class Caller:
    """Calls for one trial; `remembered` is shared by all of them."""

    def __init__(self, mapping: McpMapping, calls: Calls, remembered: Remembered) -> None:
        self.mapping = mapping
        self.calls = calls
        self._remembered = remembered

    def operation(self, name: str, surface: str | None = None) -> Mapped:
        """An operation of the contract. Raises `NotOffered` where it is not mapped."""
        for operation, keys in self.mapping.operations.items():
            if operation == name:
                return Mapped(name, keys, f"operations.{name}", surface)
        raise NotOffered(name, f"`service.operations` has no {name}", status=NOT_IMPLEMENTED)

    def surface(self, name: str) -> Mapped:
        """A further surface. Raises `NotOffered` where it is not mapped."""
        keys = self.mapping.surfaces.get(name)
        if keys is None:
            raise NotOffered(name, f"`service.surfaces` has no {name}", status=NOT_IMPLEMENTED)
        return Mapped("inspect_surface", keys, f"surfaces.{name}", name)

    def known(self, namespace: str) -> Namespace:
        """What is remembered of a namespace."""
        return self._remembered.of(namespace)

    def values(self, namespace: str, **given: JsonValue) -> dict[str, JsonValue]:
        """What placeholders stand for."""
        return {**self.mapping.variables, "namespace": namespace, **given}

    async def call(
        self,
        mapped: Mapped,
        namespace: str,
        values: Mapping[str, JsonValue],
        understand: Understand[T],
        *,
        gone: Understood[T] | None = None,
        deadline_s: float | None = None,
    ) -> Answer[T]:
        """Call the tool, once; `gone` is what it means that there is no such record.

        Raises `ServiceError`.
        """
        arguments = mapped.arguments(values)
        call = Call(
            operation=mapped.operation,
            method=CALL,
            path=mapped.keys.tool,
            parameters={"name": mapped.keys.tool, "arguments": arguments},
            request=arguments,
            namespace=namespace,
            surface=mapped.surface,
        )

        def read(reply: Reply) -> Understood[T]:
            try:
                value = value_of(mapped, reply, values)
            except NoSuchRecord:
                if gone is None:
                    raise
                return gone
            return understand(mapped, value)

        return await self.calls.make(call, read, deadline_s=deadline_s)
