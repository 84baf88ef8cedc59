"""The calls of the contract, as requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from memtru_ci.contract.operations import Operation
from memtru_ci.ports import Answer
from memtru_ci.services.address import in_path, in_query
from memtru_ci.services.answers import Reading
from memtru_ci.services.exchanges import Exchanges, Request, Understood

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A call to be made. `key` is the id in the path, `surface` is given where it is a read."""

    operation: Operation
    namespace: str = ""
    key: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: BaseModel | None = None
    surface: str | None = None

    @property
    def path(self) -> str:
        """Path and query, encoded."""
        start, brace, rest = self.operation.path.partition("{")
        path = f"{start}{in_path(self.key)}{rest.partition('}')[2]}" if brace else start
        return path + in_query(self.query)

    @property
    def sent_json(self) -> JsonValue:
        """The body; what was not given is left out."""
        if self.body is None:
            return None
        dumped: JsonValue = self.body.model_dump(mode="json", exclude_unset=True)
        return dumped

    @property
    def request(self) -> Request:
        """What is sent for it."""
        body = None
        if self.body is not None:
            body = self.body.model_dump_json(exclude_unset=True).encode()
        return Request(
            operation=self.operation.name,
            method=self.operation.method,
            path=self.path,
            namespace=self.namespace,
            surface=self.surface,
            body=body,
            sent=self.sent_json,
        )


class Calls:
    """Makes calls for one trial."""

    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges

    @property
    def deadline_s(self) -> float:
        """Seconds that a call may take."""
        return self._exchanges.deadline_s

    async def make(
        self, call: Call, read: Reading[T], *, deadline_s: float | None = None
    ) -> Answer[T]:
        """Send the call, once, and read its answer.

        Raises `ServiceError` with the step of the exchange.
        """
        return await self._exchanges.make(
            call.request,
            lambda reply: Understood(read(call.operation, reply)),
            deadline_s=deadline_s,
        )
