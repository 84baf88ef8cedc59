"""Says what is wrong with a setting: where it stands, what came, and what is allowed."""

import json
from typing import Any

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.settings.options import OPTIONS
from memtru_ci.settings.text import Path

_LONGEST_SHOWN = 80


def key_of(location: Path) -> str:
    """A location as users write it, for example `build.context` or `scenarios[1]`."""
    text = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in location)
    return text.removeprefix(".")


def describe(problem: dict[str, Any], name: str) -> str:
    """One problem that pydantic found; `name` is how the user wrote the key."""
    location = real_path(problem["loc"])
    if problem["type"] == "extra_forbidden":
        return _unknown(location, name)
    if not location:
        return f"{_own_words(problem)}."
    came = f"`{name}`: {shown(problem['input'])} came"
    detail = _own_words(problem) if problem["type"] == "value_error" else ""
    return f"{came}{detail and ', but ' + detail}; allowed: {_allowed(location)}."


def real_path(location: Path) -> Path:
    """A location without the marks that pydantic puts into it (`[key]`, names of types)."""
    inner = location[:-1] if location and location[-1] == "[key]" else location
    return tuple(inner)


def shown(value: Any) -> str:
    """A value as it would stand in JSON, on one line, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError):
        text = f"{value!s} ({type(value).__name__})"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _unknown(location: Path, name: str) -> str:
    outer = ".".join(str(one) for one in location[:-1])
    prefix = f"{outer}." if outer else ""
    known = [
        key.removeprefix(prefix)
        for key in OPTIONS
        if key.startswith(prefix) and "." not in key.removeprefix(prefix)
    ]
    hint = did_you_mean(str(location[-1]), known) or f"Known keys: {', '.join(known)}."
    return f"`{name}` is not a known key. {hint}"


def _allowed(location: Path) -> str:
    keys = [".".join(str(one) for one in location[:count]) for count in (2, 1)]
    return next((OPTIONS[key].allowed for key in keys if key in OPTIONS), "see the documentation")


def _own_words(problem: dict[str, Any]) -> str:
    return str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
