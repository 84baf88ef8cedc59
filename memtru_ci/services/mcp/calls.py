"""One request of a trial: sent once, kept as evidence whatever comes of it, and read."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import JsonValue

from memtru_ci import sending
from memtru_ci.domain.derive import NO_SUCH_RECORD
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NoSuchRecord,
    NotOffered,
    ProviderError,
    ServiceError,
    TargetLost,
)
from memtru_ci.ports import Answer, ExchangeLog
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.http import Delivery
from memtru_ci.services.mcp.attempts import Reply

T = TypeVar("T")

Send = Callable[[str, dict[str, JsonValue], float], Awaitable[Reply]]
"""Sends a request: its method, its parameters, and how many seconds it has."""

NOTHING: Mapping[str, JsonValue] = {}

_OUTCOMES: tuple[tuple[type[ServiceError], Outcome], ...] = (
    (ProviderError, Outcome.PROVIDER_ERROR),
    (NotOffered, Outcome.NOT_OFFERED),
    (ContractViolation, Outcome.CONTRACT_VIOLATION),
    (NoAnswer, Outcome.NO_ANSWER),
    (TargetLost, Outcome.TARGET_LOST),
)


@dataclass(frozen=True)
class Call:
    """What is sent, and what it is kept as."""

    operation: str
    method: str
    path: str
    parameters: dict[str, JsonValue]
    request: JsonValue = None
    namespace: str = ""
    surface: str | None = None


@dataclass(frozen=True)
class _End:
    outcome: Outcome
    trouble: str
    meaning: JsonValue = None


class Calls:
    """Makes the calls of one trial, each within `deadline_s` seconds."""

    def __init__(self, send: Send, log: ExchangeLog, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self._send = send
        self._log = log

    async def make(
        self,
        call: Call,
        read: Callable[[Reply], Understood[T]],
        *,
        before: Mapping[str, JsonValue] = NOTHING,
        deadline_s: float | None = None,
    ) -> Answer[T]:
        """Send the request, once, and read its reply.

        `before` are earlier answers that belong to it, by the method that they were given to.
        Raises `ServiceError` with the step of the exchange.
        """
        step, started = self._log.next_step(), self._log.now_ms()
        reply = Reply(Delivery.NO_ANSWER, trouble="given up from outside before an answer came")
        end = _End(Outcome.NO_ANSWER, reply.trouble)
        try:
            patience_s = sending.current().deadline_s
            reply = await self._send(
                call.method, call.parameters, patience_s or deadline_s or self.deadline_s
            )
            understood = read(reply)
            end = _End(Outcome.DONE, "", understood.meaning)
        except ServiceError as error:
            error.steps = (step,)
            outcome = next(outcome for kind, outcome in _OUTCOMES if isinstance(error, kind))
            gone: JsonValue = {**NO_SUCH_RECORD} if isinstance(error, NoSuchRecord) else None
            end = _End(outcome, error.detail, gone)
            raise
        finally:
            # Also when it is cancelled: the request may have been delivered.
            self._log.keep(self._exchange(call, _answer(call, reply, before), end, step, started))
        return Answer(understood.value, (step,))

    def state(self, call: Call, meaning: JsonValue) -> int:
        """Keep something that needs no request as evidence."""
        step, now = self._log.next_step(), self._log.now_ms()
        end = _End(Outcome.DONE, "", meaning)
        self._log.keep(self._exchange(call, None, end, step, now))
        return step

    def _exchange(
        self, call: Call, answer: JsonValue, end: _End, step: int, started: float
    ) -> Exchange:
        return Exchange(
            step=step,
            operation=call.operation,
            surface=call.surface,
            namespace=call.namespace,
            method=call.method,
            path=call.path,
            request=call.request,
            status=None,
            answer=answer,
            meaning=end.meaning,
            outcome=end.outcome,
            error=end.trouble,
            started_ms=started,
            ended_ms=self._log.now_ms(),
        )


def _answer(call: Call, reply: Reply, before: Mapping[str, JsonValue]) -> JsonValue:
    answer = reply.result
    if reply.error is not None:
        answer = {"error": {"code": reply.error.code, "message": reply.error.message}}
    return {**before, call.method: answer} if before else answer
