"""One call of the contract: sent once, kept as evidence whatever comes of it, and read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, JsonValue

from memtru_ci.contract.operations import Operation
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NotOffered,
    ProviderError,
    ServiceError,
    TargetLost,
)
from memtru_ci.ports import Answer, ExchangeLog
from memtru_ci.services.address import in_path, in_query
from memtru_ci.services.answers import Reading, kept_body
from memtru_ci.services.http import Channel, Delivery, Reply

T = TypeVar("T")

LONGEST_PATH = 2_000
"""Characters kept of a path without an id: cursors can make it far longer, page by page."""

_OUTCOMES: tuple[tuple[type[ServiceError], Outcome], ...] = (
    (ProviderError, Outcome.PROVIDER_ERROR),
    (NotOffered, Outcome.NOT_OFFERED),
    (ContractViolation, Outcome.CONTRACT_VIOLATION),
    (NoAnswer, Outcome.NO_ANSWER),
    (TargetLost, Outcome.TARGET_LOST),
)


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


class Calls:
    """Makes calls for one trial, each within `deadline_s` seconds."""

    def __init__(self, channel: Channel, log: ExchangeLog, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self._channel = channel
        self._log = log

    async def make(
        self, call: Call, read: Reading[T], *, deadline_s: float | None = None
    ) -> Answer[T]:
        """Send the call, once, and read its answer.

        Raises `ServiceError` with the step of the exchange.
        """
        step, started = self._log.next_step(), self._log.now_ms()
        reply = Reply(Delivery.NO_ANSWER, trouble="given up from outside before an answer came")
        outcome, trouble = Outcome.NO_ANSWER, reply.trouble
        try:
            reply = await self._send(call, deadline_s or self.deadline_s)
            value = read(call.operation, reply)
            outcome, trouble = Outcome.DONE, ""
        except ServiceError as error:
            error.steps = (step,)
            outcome, trouble = _outcome(error), error.detail
            raise
        finally:
            # Also when it is cancelled: the request may have been delivered.
            self._log.keep(self._exchange(call, reply, outcome, trouble, step, started))
        return Answer(value, (step,))

    async def _send(self, call: Call, deadline_s: float) -> Reply:
        body = None
        if call.body is not None:
            body = call.body.model_dump_json(exclude_unset=True).encode()
        return await self._channel.exchange(call.operation.method, call.path, body, deadline_s)

    def _exchange(
        self, call: Call, reply: Reply, outcome: Outcome, trouble: str, step: int, started: float
    ) -> Exchange:
        answer, reduced = kept_body(reply)
        return Exchange(
            step=step,
            operation=call.operation.name,
            surface=call.surface,
            namespace=call.namespace,
            method=call.operation.method,
            path=call.path if call.key else call.path[:LONGEST_PATH],
            request=call.sent_json,
            status=reply.status,
            answer=answer,
            reduced=reduced,
            outcome=outcome,
            error=trouble,
            started_ms=started,
            ended_ms=self._log.now_ms(),
        )


def _outcome(error: ServiceError) -> Outcome:
    return next(outcome for kind, outcome in _OUTCOMES if isinstance(error, kind))
