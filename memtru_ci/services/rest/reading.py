"""Reads an answer by the mapping: its JSON, or the error that says what does not fit."""

from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.contract.decode import ContractFault, parsed
from memtru_ci.errors import NoSuchRecord, ProviderError, ServiceError
from memtru_ci.services.answers import kept_body, problem_of, undelivered, untaken
from memtru_ci.services.http import Reply
from memtru_ci.services.mapping.selecting import came as came
from memtru_ci.services.mapping.selecting import id_of as id_of
from memtru_ci.services.mapping.selecting import selected as selected
from memtru_ci.services.rest.expressions import is_truthy
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.rules import can_be_gone

_FROM_THE_BODY = ("ok", "gone_when", "id", "results", "columns", "created", "processed")
_WRONG_PLACE = (404, 405, 501)


@dataclass(frozen=True)
class Body:
    """The JSON of a success; null where the mapping needs none of it, or `is_empty`."""

    status: int
    value: JsonValue = None
    is_empty: bool = False
    """The status says that the namespace holds nothing."""


def body_of(mapped: Mapped, reply: Reply, *, is_needed: bool = False) -> Body:
    """The body of a success, as JSON where the mapping finds anything in it, or `is_needed`.

    Raises `ServiceError`: a refusal, an answer that is none, or a mapping that does not fit.
    """
    error = undelivered(mapped.endpoint, reply) or _refused(mapped, reply)
    if error is not None:
        raise error
    status = reply.status or 0
    if status in mapped.keys.empty:
        return Body(status, is_empty=True)
    body = Body(status, _json(mapped, reply) if is_needed or _needs_json(mapped) else None)
    _agreed(mapped, body)
    return body


def _needs_json(mapped: Mapped) -> bool:
    keys = mapped.keys
    has_task_id = keys.task is not None and keys.task.id is not None
    return has_task_id or any(getattr(keys, one) is not None for one in _FROM_THE_BODY)


def _refused(mapped: Mapped, reply: Reply) -> ServiceError | None:
    keys, status = mapped.keys, reply.status or 0
    if status in keys.empty:
        return None
    if status in keys.status if keys.status is not None else status < 300:
        return untaken(mapped.endpoint, reply)
    if _is_gone(mapped, reply, status):
        return NoSuchRecord(mapped.endpoint, _told(reply), status=status)
    if status in _WRONG_PLACE or 300 <= status < 400:
        key = "method" if status == 405 else "path"
        return mapped.misfit(key, f"{_told(reply)}, so this may be another endpoint")
    if status < 300:
        return mapped.misfit("status", f"{_told(reply)}, which is not among the mapped statuses")
    return ProviderError(mapped.endpoint, _told(reply), status=status)


def _is_gone(mapped: Mapped, reply: Reply, status: int) -> bool:
    """Whether an answer that is no success says that there is no such record."""
    keys = mapped.keys
    if not can_be_gone(mapped.operation):
        return False
    if status in keys.gone:
        return True
    said, _ = kept_body(reply)
    return keys.gone_when is not None and is_truthy(
        selected(mapped, "gone_when", keys.gone_when, said)
    )


def _agreed(mapped: Mapped, body: Body) -> None:
    keys = mapped.keys
    if keys.gone_when and is_truthy(selected(mapped, "gone_when", keys.gone_when, body.value)):
        raise NoSuchRecord(
            mapped.endpoint, f"{body.status}: {came(body.value)}", status=body.status
        )
    if keys.ok and not is_truthy(selected(mapped, "ok", keys.ok, body.value)):
        what = f"{body.status}, but `{keys.ok}` is not true in {came(body.value)}"
        raise ProviderError(mapped.endpoint, what, status=body.status)


def _json(mapped: Mapped, reply: Reply) -> JsonValue:
    if not reply.body.strip():
        return None
    try:
        value: JsonValue = parsed(reply.body)
    except ContractFault as fault:
        raise mapped.misfit("path", f"the answer is no JSON: {fault}") from None
    return value


def _told(reply: Reply) -> str:
    if 300 <= (reply.status or 0) < 400:
        return problem_of(reply)
    body, _ = kept_body(reply)
    return str(reply.status) if body is None else f"{reply.status}: {came(body)}"
