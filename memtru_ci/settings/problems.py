"""Says what is wrong with a setting: where it stands, what came, and what is allowed."""

import json
from collections.abc import Container, Sequence
from typing import Any

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.settings.contradictions import Contradiction
from memtru_ci.settings.neighbours import neighbours
from memtru_ci.settings.options import OPTIONS
from memtru_ci.settings.text import Path

_LONGEST_SHOWN = 80
_NAMED = frozenset({"services", "jobs"})
"""Maps whose keys are the user's own names."""
_KINDS = frozenset({"contract", "rest", "mcp"})
_REFUSED = {
    "services.NAME.ports": "it is refused: the target and its sidecars are on one network, where "
    "each reaches every port of the others, and nothing is published",
    "services.NAME.credentials": "it is refused: log in to the registry before",
}
"""Keys of GitHub's service containers that are not taken, and why."""


def key_of(location: Path) -> str:
    """A location as users write it, for example `build.context` or `scenarios[1]`."""
    text = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in location)
    return text.removeprefix(".")


def describe(problem: dict[str, Any], name: str) -> str:
    """One problem that pydantic found; `name` is how the user wrote the key."""
    location = location_of(problem)
    if problem["type"] == "extra_forbidden":
        return _unknown(location, name)
    if not location:
        return f"{_own_words(problem)}."
    if isinstance(cause_of(problem), Contradiction):
        return f"`{name}`: {_own_words(problem)}."
    if problem["type"] == "missing":
        return f"`{name}` is missing; allowed: {_allowed(location)}."
    if location[0] == "service" and len(location) > 1:
        return f"`{name}`: {shown(problem['input'])} came: {_own_words(problem)}."
    came = f"`{name}`: {shown(problem['input'])} came"
    detail = _own_words(problem) if problem["type"] == "value_error" else ""
    return f"{came}{detail and ', but ' + detail}; allowed: {_allowed(location)}."


def gathered(problems: Sequence[dict[str, Any]], lines: Container[Path]) -> list[dict[str, Any]]:
    """Each place once: where a value has several forms, pydantic tells of each, and names it."""
    found: dict[Path, dict[str, Any]] = {}
    for problem in problems:
        location = location_of(problem)
        if location[:1] == ("service",) and problem["type"] not in ("missing", "extra_forbidden"):
            while location not in lines and len(location) > 1:
                location = location[:-1]
        first = found.setdefault(location, {**problem, "loc": location})
        if first["msg"] != problem["msg"]:
            first["msg"] += f"; or: {problem['msg']}"
    return list(found.values())


def location_of(problem: dict[str, Any]) -> Path:
    """Where a problem stands, as the user wrote it."""
    cause = cause_of(problem)
    if isinstance(cause, Contradiction):
        return cause.location
    return real_path(problem["loc"])


def cause_of(problem: dict[str, Any]) -> object:
    """The error of our own that pydantic wrapped; None where it is pydantic's."""
    return (problem.get("ctx") or {}).get("error")


def real_path(location: Path) -> Path:
    """A location without the marks that pydantic puts into it (`[key]`, kinds of a service)."""
    inner = location[:-1] if location and location[-1] == "[key]" else location
    if inner[:1] == ("service",) and len(inner) > 1 and inner[1] in _KINDS:
        inner = (inner[0], *inner[2:])
    return tuple(inner)


def shown(value: Any) -> str:
    """A value as it would stand in JSON, on one line, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError):
        text = f"{value!s} ({type(value).__name__})"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _unknown(location: Path, name: str) -> str:
    if reason := _REFUSED.get(_table_key(location)):
        return f"`{name}`: {reason}."
    known = neighbours(location) if location[0] == "service" else _known_beside(location)
    if location[-1] in known:
        return f"`{name}` is not a key of this kind."
    hint = did_you_mean(str(location[-1]), known) or (known and f"Known keys: {', '.join(known)}.")
    return f"`{name}` is not a known key. {hint or ''}".rstrip()


def _known_beside(location: Path) -> list[str]:
    outer = _table_key(location[:-1])
    prefix = f"{outer}." if outer else ""
    return [
        key.removeprefix(prefix)
        for key in OPTIONS
        if key.startswith(prefix) and "." not in key.removeprefix(prefix)
    ]


def _allowed(location: Path) -> str:
    keys = [_table_key(location[:count]) for count in range(len(location), 0, -1)]
    return next((OPTIONS[key].allowed for key in keys if key in OPTIONS), "see the documentation")


def _table_key(location: Path) -> str:
    """A location as the table of options has it: NAME where the user gives a name."""
    if location[:1] and location[0] in _NAMED and len(location) > 1:
        location = (location[0], "NAME", *location[2:])
    return ".".join(str(one) for one in location)


def _own_words(problem: dict[str, Any]) -> str:
    return str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
