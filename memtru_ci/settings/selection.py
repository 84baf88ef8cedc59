"""Which scenarios a run performs, and which of them must have run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtru_ci.domain.folding import condensed
from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import SettingsError, UsageError
from memtru_ci.settings.file import LoadedSettings


@dataclass(frozen=True)
class Selection:
    """Ids of scenarios in the catalogue's order; what was asked for by id must not be SKIPPED."""

    ids: tuple[str, ...]
    asked_by_id: tuple[str, ...]
    required: tuple[str, ...]


def select(
    loaded: LoadedSettings, known: Sequence[str], suites: Mapping[str, Sequence[str]]
) -> Selection:
    """The scenarios that the settings name; raises `UsageError` for a name that is unknown."""
    choice = _Choice(loaded, known, suites)
    scenarios, require = loaded.settings.scenarios, loaded.settings.require
    named = {one for entry, name in enumerate(scenarios) for one in choice.ids_of(entry, name)}
    asked = {one for name in scenarios if (one := choice.id_of(name))}
    required = {choice.required(entry, name) for entry, name in enumerate(require)}
    return Selection(
        ids=choice.in_order(named | required),
        asked_by_id=choice.in_order(asked),
        required=choice.in_order(required),
    )


@dataclass(frozen=True)
class _Choice:
    loaded: LoadedSettings
    known: Sequence[str]
    suites: Mapping[str, Sequence[str]]

    def in_order(self, ids: set[str]) -> tuple[str, ...]:
        return tuple(one for one in self.known if one in ids)

    def id_of(self, name: str) -> str | None:
        return name.upper() if name.upper() in self.known else None

    def ids_of(self, entry: int, name: str) -> Sequence[str]:
        one = self.id_of(name)
        if one:
            return (one,)
        if name.lower() in self.suites:
            return self.suites[name.lower()]
        raise self._unknown("scenarios", entry, f'"{name}" is neither a scenario nor a suite', name)

    def required(self, entry: int, name: str) -> str:
        one = self.id_of(name)
        if one is None:
            raise self._unknown("require", entry, f'"{name}" is not a scenario', name)
        return one

    def _unknown(self, key: str, entry: int, what: str, name: str) -> UsageError:
        suites = () if key == "require" else tuple(self.suites)
        hint = did_you_mean(name, (*self.known, *suites))
        names = ", ".join((*condensed(self.known), *suites))
        line = self.loaded.line_of(key, entry) or self.loaded.line_of(key)
        if line is None or self.loaded.path is None:
            return UsageError(f"{what}.", hint=hint or f"There are: {names}.")
        where = f"{self.loaded.path}:{line}: `{key}`: "
        return SettingsError(f"{where}{what}.", hint=hint or f"There are: {names}.")
