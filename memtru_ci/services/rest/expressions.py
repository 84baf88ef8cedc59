"""JMESPath expressions: checked where a mapping is read, and used to select from answers."""

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult

LONGEST = 500
"""Characters of an expression."""
MOST_REPEATS = 100
"""How often an expression may repeat what it is applied to: chained, `[@,@]` doubles each time."""


class Unselectable(ValueError):
    """An expression cannot be applied to what came."""


def checked(text: str) -> str:
    """The expression as it is; raises `ValueError` where it is not JMESPath."""
    from jmespath.exceptions import JMESPathError

    try:
        repeats = _repeats(_compiled(text).parsed)
    except (JMESPathError, RecursionError) as error:
        raise ValueError(f"it is not JMESPath: {_first_line(error)}") from None
    if repeats > MOST_REPEATS:
        raise ValueError(f"it repeats parts of an answer more than {MOST_REPEATS} times")
    return text


def select(text: str, value: Any) -> Any:
    """What a checked expression selects from a JSON value; null where there is nothing.

    Raises `Unselectable` where a function in it meets a value of the wrong type.
    """
    try:
        return _compiled(text).search(value)
    except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError) as error:
        raise Unselectable(f"`{text}` cannot be applied to it: {_first_line(error)}") from None


def is_truthy(value: Any) -> bool:
    """Truth as JMESPath has it: false, null and what is empty are false; numbers are true."""
    return value is not None and value is not False and value not in ("", [], {})


def _repeats(node: Any) -> int:
    """How often a value may be in what is made of it, at most."""
    if not isinstance(node, dict):
        return 1
    parts = [_repeats(one) for one in node["children"]]
    kind = node["type"]
    is_beside = kind.startswith("multi_select") or (
        kind == "function_expression" and all(one["type"] != "expref" for one in node["children"])
    )
    return max(1, sum(parts) if is_beside else prod(parts))


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


@lru_cache(maxsize=512)
def _compiled(text: str) -> "ParsedResult":
    import jmespath

    return jmespath.compile(text)


Expression = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(checked)]
"""A JMESPath expression, in a mapping."""
