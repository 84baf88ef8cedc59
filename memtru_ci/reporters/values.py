"""Values as JSON can hold them, whatever a target answered."""

import json
import math
import re
from typing import Any

_ACTING = re.compile("(?<=#)#(?=\\[)|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


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


def document(value: Any) -> str:
    """Well-formed JSON of several lines that is only text wherever it is printed.

    What moves a terminal's cursor or turns lines around, and what GitHub's runner takes for a
    command anywhere in a line (`##[`), is written as an escape. It can only stand inside strings.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return _ACTING.sub(_escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in found[0])


def compact(value: Any) -> str:
    """A JSON value on one line."""
    return json.dumps(well_formed(value), ensure_ascii=False, separators=(", ", ": "))
