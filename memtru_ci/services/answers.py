"""Reads an answer by the contract: a value, or the error that says what was wrong with it."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel, JsonValue
from pydantic_core import from_json

from memtru_ci.contract.decode import WHOLE_BODY, ContractFault, decode, is_too_rich
from memtru_ci.contract.operations import Operation
from memtru_ci.domain.legible import legible
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NoSuchRecord,
    NotOffered,
    ProviderError,
    ServiceError,
    TargetLost,
)
from memtru_ci.services.http import Delivery, Reply

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

Reading = Callable[[Operation, Reply], T]
"""Makes a value of a reply. Raises `ServiceError`."""

TEXT_EXCERPT = 2000
"""Characters kept of a body that is not JSON."""

STATUS = "(status)"
HTTP = "(http)"
"""The fields of a violation that concerns the status, or HTTP itself."""


def reading(model: type[M]) -> Reading[M]:
    """Reads a success with a message in its body, strictly."""

    def read(operation: Operation, reply: Reply) -> M:
        status_of_success(operation, reply)
        try:
            return decode(model, reply.body)
        except ContractFault as fault:
            raise ContractViolation(operation.endpoint, str(fault), field=fault.field) from None

    return read


def status_of_success(operation: Operation, reply: Reply) -> int:
    """Reads a success of which only the status counts. Raises `ServiceError` for anything else."""
    error = undelivered(operation.endpoint, reply) or _refused(operation, reply)
    if error is not None:
        raise error
    return reply.status or 0


def kept_body(reply: Reply) -> tuple[JsonValue, bool]:
    """The body as evidence, and whether that is only a part: JSON, or the beginning as text."""
    if not reply.body:
        return None, False
    whole = reply.delivery is Delivery.WHOLE
    if whole and not is_too_rich(reply.body):
        try:
            value: JsonValue = from_json(reply.body, allow_inf_nan=False)
        except ValueError:
            pass
        else:
            return value, False
    text = reply.body[: 4 * TEXT_EXCERPT].decode("utf-8", "replace")[:TEXT_EXCERPT]
    return text, not whole or len(reply.body) > len(text.encode())


def undelivered(where: str, reply: Reply) -> ServiceError | None:
    """Why there is no answer at all to be read, or none that is HTTP."""
    trouble = legible(reply.trouble)
    if reply.delivery is Delivery.NOT_SENT:
        return TargetLost(where, f"the service cannot be reached: {trouble}")
    if reply.delivery is Delivery.NO_ANSWER:
        return NoAnswer(where, trouble)
    if reply.delivery is Delivery.MALFORMED:
        return ContractViolation(where, f"not an HTTP answer: {trouble}", field=HTTP)
    if reply.status is None or not 200 <= reply.status < 600:
        return ContractViolation(where, f"status {reply.status} is no final answer", field=STATUS)
    return None


def _refused(operation: Operation, reply: Reply) -> ServiceError | None:
    where, status = operation.endpoint, reply.status or 0
    if status < 300:
        return untaken(where, reply)
    detail = problem_of(reply)
    if status in (405, 501) or (status == 404 and not operation.holds_id):
        return NotOffered(where, detail, status=status)
    if status in (404, 410) and operation.holds_id:
        return NoSuchRecord(where, detail, status=status)
    return ProviderError(where, detail, status=status)


def untaken(where: str, reply: Reply) -> ServiceError | None:
    """Why the body of an answer was not taken."""
    if reply.delivery is Delivery.REFUSED:
        return ContractViolation(where, legible(reply.trouble), field=WHOLE_BODY)
    return None


def problem_of(reply: Reply) -> str:
    """Status, and title and detail of the problem where the body is one."""
    if 300 <= (reply.status or 0) < 400:
        return f"{reply.status}, a redirect to {legible(reply.location)!r}; none is followed"
    body, _ = kept_body(reply)
    parts = [str(reply.status), *_said(body)]
    return legible(": ".join(part for part in parts if part))


def _said(body: JsonValue) -> list[str]:
    if isinstance(body, dict):
        said = [body.get("title"), body.get("detail")]
        return [one for one in said if isinstance(one, str)]
    return [body] if isinstance(body, str) else []
