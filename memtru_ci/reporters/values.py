"""Values as JSON can hold them, whatever a target answered."""

import json
import math
from typing import Any


def well_formed(value: Any) -> Any:
    """The value as JSON can hold it: no lone surrogates, no NaN, no infinity."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {well_formed(key): well_formed(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [well_formed(one) for one in value]
    return value


def compact(value: Any) -> str:
    """A JSON value on one line."""
    return json.dumps(well_formed(value), ensure_ascii=False, separators=(", ", ": "))
