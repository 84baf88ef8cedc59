"""JMESPath expressions: checked where a mapping is read, and used to select from answers."""

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult

LONGEST = 500
"""Characters of an expression."""


class Unselectable(ValueError):
    """An expression cannot be applied to what came."""


def checked(text: str) -> str:
    """The expression as it is; raises `ValueError` where it is not JMESPath."""
    from jmespath.exceptions import JMESPathError

    try:
        _compiled(text)
    except (JMESPathError, RecursionError) as error:
        raise ValueError(f"it is not JMESPath: {_first_line(error)}") from None
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


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


@lru_cache(maxsize=512)
def _compiled(text: str) -> "ParsedResult":
    import jmespath

    return jmespath.compile(text)


Expression = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(checked)]
"""A JMESPath expression, in a mapping."""
