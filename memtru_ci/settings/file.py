"""Finds and reads `memtru.yml`, and lays the command line's or the action's values over it."""

import copy
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memtru_ci.errors import SettingsError, UsageError
from memtru_ci.settings import text
from memtru_ci.settings.model import Settings
from memtru_ci.settings.problems import describe, gathered, key_of, location_of

PLACES = (".memtru.yml", "memtru.yml", ".github/memtru.yml")
"""Where a settings file is looked for, in this order; the first that exists counts."""


@dataclass(frozen=True)
class Override:
    """A value from outside the file; `origin` names it to the user, for example `--window`.

    `env` is laid over the file's variables; everything else takes the place of the file's value.
    """

    key: str
    value: Any
    origin: str


@dataclass(frozen=True)
class LoadedSettings:
    """Settings, the file they came from (if any), and the line of each key in it."""

    settings: Settings
    path: Path | None = None
    lines: Mapping[text.Path, int] = field(default_factory=dict)
    context: Path = Path()
    """The folder of `build.context`, where there is a build."""
    overrides: Sequence[Override] = ()
    """What was laid over the file."""

    def line_of(self, *keys: str | int) -> int | None:
        """The line that a key stands on, counted from 1."""
        return self.lines.get(keys)


def load(
    root: Path, config: Path | None = None, overrides: Sequence[Override] = ()
) -> LoadedSettings:
    """The settings of a run in the folder `root`.

    Raises `SettingsError` for a bad file, `UsageError` for a bad value from outside.
    """
    path = _given(config) if config else _found(root)
    document = _read(path) if path else text.Document({}, {})
    values, origins = _overlaid(document.values, overrides)
    lines = {key: line for key, line in document.lines.items() if key and key[0] not in origins}
    settings = _validated(values, path, lines, origins)
    if path is not None and "output_dir" not in origins:
        _check_output(settings.output_dir, root, path)
    context = _context(settings, root, None if "build.context" in origins else path)
    return LoadedSettings(settings, path, lines, context, tuple(overrides))


def _given(config: Path) -> Path:
    if config.is_dir():
        raise UsageError(f"{config} is a folder, not a settings file.", hint="Name the file in it.")
    if not config.is_file():
        raise UsageError(
            f"The settings file {config} does not exist.",
            hint=f"Without --config, {', '.join(PLACES)} are looked for.",
        )
    return config


def _found(root: Path) -> Path | None:
    return next((root / one for one in PLACES if (root / one).is_file()), None)


def _read(path: Path) -> text.Document:
    try:
        with path.open("rb") as file:
            raw = file.read(text.LARGEST_FILE + 1)
        content = raw.decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (byte {error.start}).") from None
    if len(raw) > text.LARGEST_FILE:
        raise SettingsError(f"{path} is larger than {text.LARGEST_FILE // 1024} KiB.")
    return _parsed(path, content)


def _parsed(path: Path, content: str) -> text.Document:
    try:
        document = text.read(content)
    except text.BadText as bad:
        raise SettingsError(f"{path}:{bad.line}: {bad.detail}.") from None
    if document.values is None:
        return text.Document({}, {})
    if not isinstance(document.values, dict):
        raise SettingsError(f"{path}:1: this is not a map of keys to values.")
    return document


def _overlaid(
    values: dict[str, Any], overrides: Sequence[Override]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values with overrides laid over them, and the origin of every key that has one."""
    laid = copy.deepcopy(values)
    origins = {one.key: one.origin for one in overrides}
    _drop_other_target(laid, origins, {one.key: one.value for one in overrides}.get("target"))
    for one in overrides:
        outer, _, inner = one.key.rpartition(".")
        place = laid.setdefault(outer, {}) if outer else laid
        if one.key == "env" and isinstance(laid.get("env"), dict):
            place["env"] = {**laid["env"], **one.value}
        elif isinstance(place, dict):
            place[inner] = one.value
    return laid, origins


def _drop_other_target(laid: dict[str, Any], origins: Mapping[str, str], target: Any) -> None:
    """A target named from outside takes the place of the file's, of whichever kind it is."""
    if "target" in origins and "build.context" in origins:
        raise UsageError(
            f"{origins['target']} and {origins['build.context']} name two targets.",
            hint="Keep one of them.",
        )
    if "target" in origins and target != "build" and "build.dockerfile" not in origins:
        laid.pop("build", None)
    if "build.context" in origins:
        laid.pop("target", None)
        laid.pop("build", None)


def _validated(
    values: dict[str, Any],
    path: Path | None,
    lines: Mapping[text.Path, int],
    origins: Mapping[str, str],
) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        found = error.errors(include_url=False)
    problems = gathered([dict(one) for one in found], lines)
    messages = [_message(one, path, lines, origins) for one in problems]
    from_outside = all(_origin(location_of(one), origins) for one in problems)
    raise (UsageError if from_outside else SettingsError)("\n".join(messages[:10]))


def _message(
    problem: dict[str, Any],
    path: Path | None,
    lines: Mapping[text.Path, int],
    origins: Mapping[str, str],
) -> str:
    location = location_of(problem)
    origin = _origin(location, origins)
    if origin or path is None:
        return describe(problem, origin or key_of(location))
    line = next((lines[key] for key in _outward(location) if key in lines), 1)
    return f"{path}:{line}: {describe(problem, key_of(location))}"


def _origin(location: text.Path, origins: Mapping[str, str]) -> str | None:
    keys = (".".join(map(str, one)) for one in _outward(location))
    return next((origins[key] for key in keys if key in origins), None)


def _outward(location: text.Path) -> list[text.Path]:
    return [location[:count] for count in range(len(location), 0, -1)]


def _context(settings: Settings, root: Path, file: Path | None) -> Path:
    """The folder to build from; a file may name none outside of its repository."""
    if settings.build is None and settings.target != "build":
        return root
    name = settings.build.context if settings.build else "."
    context = Path(os.path.normpath((file.parent if file else root) / name))
    if not context.is_dir():
        raise UsageError(f"The build context {context} is not a folder.")
    if file is not None and not context.resolve().is_relative_to(_fence(root, file)):
        raise SettingsError(
            f"{file}: the build context {name} leads outside of {_fence(root, file)}.",
            hint="Name it with --build-context if that is meant.",
        )
    return context


def _check_output(name: str, root: Path, file: Path) -> None:
    """A file may have reports written nowhere outside of its repository, or of the run's folder."""
    folder, fence = (root / name).resolve(), _fence(root, file)
    if not any(folder.is_relative_to(one) for one in (fence, root.resolve())):
        raise SettingsError(
            f"{file}: the output folder {name} leads outside of {fence}.",
            hint="Name it with --output-dir if that is meant.",
        )


def _fence(root: Path, file: Path) -> Path:
    """The file's repository; without one, the folder of the run, or else the file's own."""
    folder = file.resolve().parent
    here = root.resolve() if folder.is_relative_to(root.resolve()) else folder
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), here)
