"""Reads a tool's answer by the mapping: what it selects from, or the error that it amounts to."""

from pydantic import JsonValue

from memtru_ci.contract.decode import ContractFault, parsed
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
from memtru_ci.services.http import Delivery
from memtru_ci.services.mapping.selecting import came, selected
from memtru_ci.services.mcp.attempts import Reply
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.rest.expressions import is_truthy
from memtru_ci.services.rest.templates import Values

METHOD_NOT_FOUND = -32601
NOT_FOUND, REFUSED, NOT_IMPLEMENTED = 404, 500, 501
"""What the errors would be over HTTP; MCP has no statuses."""

ANSWER = "(answer)"
"""The field of a violation that concerns the answer as a whole."""


def result_of(endpoint: str, reply: Reply) -> dict[str, JsonValue]:
    """The result of a request that was answered. Raises `ServiceError`."""
    trouble = legible(reply.trouble)
    if reply.delivery is Delivery.NOT_SENT:
        raise TargetLost(endpoint, f"the server cannot be reached: {trouble}")
    if reply.delivery is Delivery.NO_ANSWER:
        raise NoAnswer(endpoint, trouble)
    if reply.error is not None:
        raise _protocol_error(endpoint, reply.error.code, legible(reply.error.message))
    if reply.delivery is not Delivery.WHOLE or not isinstance(reply.result, dict):
        raise ContractViolation(endpoint, trouble or "no result came", field=ANSWER)
    return reply.result


def value_of(mapped: Mapped, reply: Reply, values: Values) -> JsonValue:
    """What the mapping's expressions select from; null where nothing is held.

    Raises `ServiceError`: a refusal, an answer that is none, or a mapping that does not fit.
    """
    result = result_of(mapped.endpoint, reply)
    text = text_in(result)
    if result.get("isError"):
        if _is_empty(mapped, text, values):
            return None
        raise _refusal(mapped, text, values)
    value = _source(mapped, result, text)
    keys = mapped.keys
    if keys.gone_when and is_truthy(selected(mapped, "gone_when", keys.gone_when, value)):
        raise NoSuchRecord(mapped.endpoint, came(value), status=NOT_FOUND)
    if keys.ok and not is_truthy(selected(mapped, "ok", keys.ok, value)):
        what = f"`{keys.ok}` is not true in {came(value)}"
        raise ProviderError(mapped.endpoint, what, status=REFUSED)
    return value


def text_in(result: dict[str, JsonValue]) -> str:
    """All the text that a tool has answered with."""
    blocks = result.get("content")
    found = (
        (one.get("text") for one in blocks if isinstance(one, dict))
        if isinstance(blocks, list)
        else ()
    )
    return "\n".join(one for one in found if isinstance(one, str))


def _source(mapped: Mapped, result: dict[str, JsonValue], text: str) -> JsonValue:
    source = mapped.keys.source
    if source == "text":
        return text
    if source == "structured":
        if result.get("structuredContent") is None and _selects(mapped):
            raise mapped.misfit("source", f"no structured content came, but {came(text)}")
        return result.get("structuredContent")
    try:
        value: JsonValue = parsed(text.encode())
    except ContractFault as fault:
        raise mapped.misfit("source", f"the text is no JSON: {fault}") from None
    return value


def _selects(mapped: Mapped) -> bool:
    keys = mapped.keys
    names = ("ok", "gone_when", "results", "content", "id", "created", "processed")
    return any(getattr(keys, one, None) is not None for one in names)


def _is_empty(mapped: Mapped, text: str, values: Values) -> bool:
    templates = getattr(mapped.keys, "empty", [])
    return any(one in text for one in mapped.texts("empty", templates, values))


def _refusal(mapped: Mapped, text: str, values: Values) -> ServiceError:
    told = came(text)
    if any(one in text for one in mapped.texts("gone", mapped.keys.gone, values)):
        return NoSuchRecord(mapped.endpoint, told, status=NOT_FOUND)
    return ProviderError(mapped.endpoint, told, status=REFUSED)


def _protocol_error(endpoint: str, code: int, message: str) -> ServiceError:
    told = f"{code}: {message}"
    if code == METHOD_NOT_FOUND:
        return NotOffered(endpoint, told, status=NOT_IMPLEMENTED)
    return ProviderError(endpoint, told, status=REFUSED)
