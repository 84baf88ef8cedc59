"""Reads a message from bytes that nobody vouches for, and says exactly what is wrong with them."""

import json
import math
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, from_json

from memtru_ci.contract import MAX_VALUES

EXCERPT_LENGTH = 80
"""The most characters of hostile text that a fault shows."""

WHOLE_BODY = "(body)"
"""The field of a fault that concerns the body as a whole."""

M = TypeVar("M", bound=BaseModel)


class ContractFault(ValueError):
    """A message breaks the contract: `field` says where, `got` what came (ASCII), `why` the rule.

    All three are short and hold no control characters.
    """

    def __init__(self, field: str, got: str, why: str) -> None:
        super().__init__(f"{field}: {why} (got {got})" if got else f"{field}: {why}")
        self.field = field
        self.got = got
        self.why = why


def decode(model: type[M], body: bytes) -> M:
    """The message in `body`, strictly by `model`.

    Refused besides what the model refuses: anything but UTF-8 JSON, a key given twice, NaN and
    infinities, lone surrogates, nesting of about 200 levels and numbers of over 4300 digits.
    Raises `ContractFault`.
    """
    value = parsed(body)
    try:
        return model.model_validate_json(_without_absent(model, value, body))
    except ValidationError as error:
        raise _fault(error.errors(include_url=False)[0]) from None


def is_too_rich(body: bytes) -> bool:
    """Whether the body may hold over `MAX_VALUES` values; each costs far more than a byte."""
    return values_in(body) > MAX_VALUES


def values_in(body: bytes) -> int:
    """How many values the body holds at most, told without parsing.

    Its commas and opening brackets are counted, those in texts included.
    """
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def excerpt(value: object) -> str:
    """A short ASCII picture of a JSON value, safe to print."""
    text = json.dumps(value, ensure_ascii=True, default=repr)
    text = text.replace("\x7f", "\\u007f")
    return text if len(text) <= EXCERPT_LENGTH else text[: EXCERPT_LENGTH - 3] + "..."


def parsed(body: bytes) -> Any:
    """The JSON value in `body`, with the refusals of `decode`. Raises `ContractFault`."""
    if is_too_rich(body):
        raise ContractFault(WHOLE_BODY, "", f"it holds more than {MAX_VALUES} values")
    try:
        # The bounded parser goes first: it stops at hostile nesting, where json would recurse.
        from_json(body, allow_inf_nan=False)
        return json.loads(body, object_pairs_hook=_unique, parse_float=_finite)
    except ContractFault:
        raise
    except (ValueError, RecursionError) as error:
        got = excerpt(body[: 2 * EXCERPT_LENGTH].decode("utf-8", "replace"))
        raise ContractFault(WHOLE_BODY, got, f"not acceptable JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, value in pairs:
        if key in keys:
            raise ContractFault(excerpt(key)[1:-1], "", "the key is given twice")
        keys[key] = value
    return keys


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ContractFault(WHOLE_BODY, excerpt(digits), "a number is out of range")
    return number


def _without_absent(model: type[BaseModel], value: Any, body: bytes) -> bytes:
    """The body, with every `null` of an optional field left out."""
    if b"null" not in body:
        return body
    return json.dumps(_pruned(model, value)).encode()


def _pruned(model: type[BaseModel], value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kept = dict(value)
    for name, field in model.model_fields.items():
        if kept.get(name, ...) is None and not field.is_required():
            del kept[name]
        elif (inner := _model_in(field.annotation)) and name in kept:
            kept[name] = _pruned_inside(inner, kept[name])
    return kept


def _pruned_inside(model: type[BaseModel], value: Any) -> Any:
    if isinstance(value, list):
        return [_pruned(model, one) for one in value]
    return _pruned(model, value)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for one in get_args(annotation) if (found := _model_in(one))), None)


def _fault(error: ErrorDetails) -> ContractFault:
    field = ".".join(str(part) for part in error["loc"]) or WHOLE_BODY
    if error["type"].startswith("missing"):
        field = error["type"].removeprefix("missing_") if "_" in error["type"] else field
        return ContractFault(field, "", "required, and not there")
    return ContractFault(field, excerpt(error["input"]), error["msg"])
