"""Mappings that come with the gate, and how a user's keys are laid over them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memtru_ci.domain.legible import legible
from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError

M = TypeVar("M", bound=BaseModel)

_REMOVABLE = ("operations", "surfaces")


class Presets:
    """The presets of one kind of service: YAML files in `folder`; `page` explains their keys."""

    def __init__(self, folder: Path, kind: str, page: str) -> None:
        self._folder = folder
        self._kind = kind
        self._page = page
        self._read: dict[str, Mapping[str, Any]] = {}

    def names(self) -> list[str]:
        """The presets there are."""
        return sorted(one.stem for one in self._folder.glob("*.yaml"))

    def keys(self, name: str) -> Mapping[str, Any]:
        """The keys of a preset. Raises `UsageError` for one that is unknown."""
        import yaml

        if name not in self._read:
            if name not in self.names():
                hint = did_you_mean(name, self.names()) or f"There are {', '.join(self.names())}."
                what = f"there is no preset {name!r} for {self._kind}"
                raise UsageError(f"`service.preset`: {what}.", hint=hint)
            text = (self._folder / f"{name}.yaml").read_text(encoding="utf-8")
            self._read[name] = yaml.safe_load(text)
        return self._read[name]

    def merged(self, model: type[M], name: str | None, service: BaseModel) -> M:
        """The preset with the service's keys laid over it, deeply; lists and texts are replaced.

        Raises `UsageError` for an unknown preset and for what is missing or malformed.
        """
        given = service.model_dump(exclude_unset=True, exclude={"kind", "preset"})
        values = _laid_over(self.keys(name) if name else {}, given)
        for key in _REMOVABLE:
            children = values.get(key)
            if isinstance(children, dict):
                values[key] = {name: one for name, one in children.items() if one is not None}
        return self._validated(model, values)

    def _validated(self, model: type[M], values: dict[str, Any]) -> M:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            found = error.errors(include_url=False)[:5]
        told = [f"`service.{_key(one['loc'])}`: {_problem(one)}" for one in found]
        raise UsageError("\n".join(told), hint=f"{self._page} explains every key.")


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    laid = dict(below)
    for key, value in above.items():
        under = laid.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            laid[key] = _laid_over(under, value)
        else:
            laid[key] = value
    return laid


def _key(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location)


def _problem(error: Any) -> str:
    if error["type"] == "missing":
        return "it is missing, and no preset fills it."
    return f"{legible(str(error['msg']), 200)}; {legible(repr(error['input']), 80)} came."
