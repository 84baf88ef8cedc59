"""One request of a trial: sent once, kept as evidence whatever comes of it, and read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import JsonValue

from memtru_ci.domain.derive import GONE, NO_SUCH_RECORD
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
from memtru_ci.services.answers import kept_body
from memtru_ci.services.http import Channel, Delivery, Reply

T = TypeVar("T")

LONGEST_PATH = 8_000
"""Characters kept of a path: any id is whole, but cursors can make it far longer, page by page."""

_OUTCOMES: tuple[tuple[type[ServiceError], Outcome], ...] = (
    (ProviderError, Outcome.PROVIDER_ERROR),
    (NotOffered, Outcome.NOT_OFFERED),
    (ContractViolation, Outcome.CONTRACT_VIOLATION),
    (NoAnswer, Outcome.NO_ANSWER),
    (TargetLost, Outcome.TARGET_LOST),
)


@dataclass(frozen=True)
class Request:
    """What is sent, and what it is kept as; `surface` is given where it is a read of one."""

    operation: str
    method: str
    path: str
    namespace: str = ""
    surface: str | None = None
    body: bytes | None = None
    sent: JsonValue = None
    """The body, as evidence keeps it."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Understood(Generic[T]):
    """What a reply says, and the same in the contract's form where it was in another."""

    value: T
    meaning: JsonValue = None


class Exchanges:
    """Sends the requests of one trial, each within `deadline_s` seconds."""

    def __init__(self, channel: Channel, log: ExchangeLog, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self._channel = channel
        self._log = log

    async def make(
        self,
        request: Request,
        read: Callable[[Reply], Understood[T]],
        *,
        deadline_s: float | None = None,
    ) -> Answer[T]:
        """Send the request, once, and read its reply.

        Raises `ServiceError` with the step of the exchange.
        """
        step, started = self._log.next_step(), self._log.now_ms()
        reply = Reply(Delivery.NO_ANSWER, trouble="given up from outside before an answer came")
        end = _End(Outcome.NO_ANSWER, reply.trouble)
        try:
            reply = await self._channel.exchange(
                request.method,
                request.path,
                request.body,
                deadline_s or self.deadline_s,
                request.headers,
            )
            understood = read(reply)
            end = _End(Outcome.DONE, "", understood.meaning)
        except ServiceError as error:
            error.steps = (step,)
            end = _End(_outcome(error), error.detail, _meaning_of(error))
            raise
        finally:
            # Also when it is cancelled: the request may have been delivered.
            self._log.keep(self._exchange(request, reply, end, step, started))
        return Answer(understood.value, (step,))

    def state(self, operation: str, namespace: str, source: str, meaning: JsonValue) -> int:
        """Keep something that needs no request as evidence; `source` says where it is from."""
        step, now = self._log.next_step(), self._log.now_ms()
        request = Request(operation, "NONE", source, namespace)
        end = _End(Outcome.DONE, "", meaning)
        self._log.keep(self._exchange(request, Reply(Delivery.NOT_SENT), end, step, now))
        return step

    def _exchange(
        self, request: Request, reply: Reply, end: "_End", step: int, started: float
    ) -> Exchange:
        answer, reduced = kept_body(reply)
        return Exchange(
            step=step,
            operation=request.operation,
            surface=request.surface,
            namespace=request.namespace,
            method=request.method,
            path=request.path[:LONGEST_PATH],
            request=request.sent,
            status=reply.status,
            answer=answer,
            meaning=end.meaning,
            reduced=reduced,
            outcome=end.outcome,
            error=end.trouble,
            started_ms=started,
            ended_ms=self._log.now_ms(),
        )


@dataclass(frozen=True)
class _End:
    outcome: Outcome
    trouble: str
    meaning: JsonValue = None


def _outcome(error: ServiceError) -> Outcome:
    return next(outcome for kind, outcome in _OUTCOMES if isinstance(error, kind))


def _meaning_of(error: ServiceError) -> JsonValue:
    """That there is no such record, where the status does not say so already."""
    if isinstance(error, NoSuchRecord) and error.status not in GONE:
        return dict(NO_SUCH_RECORD)
    return None
