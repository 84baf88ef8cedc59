"""Mappings that come with the gate, and how a user's keys are laid over them."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memtru_ci.domain.legible import legible
from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError
from memtru_ci.services.mcp.mapping import McpMapping, McpService

FOLDER = Path(__file__).parent / "presets"
_REMOVABLE = ("operations", "surfaces")


def names() -> list[str]:
    """The presets there are."""
    return sorted(one.stem for one in FOLDER.glob("*.yaml"))


def merged(service: McpService) -> McpMapping:
    """The preset with the given keys laid over it, deeply; lists and texts are replaced.

    Raises `UsageError` for an unknown preset and for what is missing or malformed.
    """
    below = preset(service.preset) if service.preset else {}
    given = service.model_dump(exclude_unset=True, exclude={"kind", "preset"})
    values = _laid_over(below, given)
    for key in _REMOVABLE:
        children = values.get(key)
        if isinstance(children, dict):
            values[key] = {name: one for name, one in children.items() if one is not None}
    return _validated(values)


@lru_cache(maxsize=32)
def preset(name: str) -> Mapping[str, Any]:
    """The keys of a preset. Raises `UsageError` for one that is unknown."""
    import yaml

    if name not in names():
        hint = did_you_mean(name, names()) or f"There are {', '.join(names())}."
        raise UsageError(f"`service.preset`: there is no preset {name!r} for MCP.", hint=hint)
    values: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return values


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    laid = dict(below)
    for key, value in above.items():
        under = laid.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            laid[key] = _laid_over(under, value)
        else:
            laid[key] = value
    return laid


def _validated(values: dict[str, Any]) -> McpMapping:
    try:
        return McpMapping.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)[:5]
    told = [f"`service.{_key(one['loc'])}`: {_problem(one)}" for one in found]
    raise UsageError("\n".join(told), hint="docs/mcp.md explains every key.")


def _key(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)


def _problem(error: Any) -> str:
    if error["type"] == "missing":
        return "it is missing, and no preset fills it."
    return f"{legible(str(error['msg']), 200)}; {legible(repr(error['input']), 80)} came."
