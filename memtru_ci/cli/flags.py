"""Command-line options that stand for settings: one table from flag to key."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memtru_ci.errors import UsageError
from memtru_ci.settings.options import OPTIONS

if TYPE_CHECKING:
    from memtru_ci.settings.file import Override

FLAGS: dict[str, tuple[str, str]] = {
    "target": ("target", "--target"),
    "build_context": ("build.context", "--build-context"),
    "dockerfile": ("build.dockerfile", "--dockerfile"),
    "scenario": ("scenarios", "--scenario"),
    "require": ("require", "--require"),
    "port": ("port", "--port"),
    "window": ("window", "--window"),
    "timeout": ("timeout", "--timeout"),
    "env": ("env", "--env"),
    "fail_on": ("fail_on", "--fail-on"),
    "fail_on_inconclusive": ("fail_on_inconclusive", "--fail-on-inconclusive"),
    "egress": ("egress", "--egress"),
    "health_path": ("health_path", "--health-path"),
    "ready_timeout": ("ready_timeout", "--ready-timeout"),
    "output_dir": ("output_dir", "--output-dir"),
    "seed": ("seed", "--seed"),
    "sarif_category": ("sarif_category", "--sarif-category"),
    "anchor": ("anchor", "--anchor"),
}
"""Parameter of the command: the setting's key, and the flag."""


_HELP = {
    "build.context": "Build the target's image from this folder; it is sent to the engine, never "
    "mounted.",
    "env": "A variable for the target; without =VALUE it is taken from the gate's environment.",
    "scenarios": "What is performed: ids and suites (afterlife, deletion, policy). (default: all)",
}
"""Where the command line takes a setting in a way of its own."""


def help_of(key: str) -> str:
    """What an option means, what is allowed, and what holds without it."""
    if key in _HELP:
        return _HELP[key]
    option = OPTIONS[key]
    return f"{option.meaning} {_capital(option.allowed)}.{_default(option.default)}"


def overrides_of(given: Mapping[str, Any], environment: Mapping[str, str]) -> "list[Override]":
    """The settings that the command line names; raises `UsageError` for a bad `--env`."""
    from memtru_ci.settings.file import Override

    found = []
    for name, (key, flag) in FLAGS.items():
        value = given.get(name)
        if value is not None and value != [] and value != ():
            read = _READERS.get(name)
            found.append(Override(key, read(value, environment) if read else value, flag))
    return found


def _variables(entries: list[str], environment: Mapping[str, str]) -> dict[str, str]:
    return dict(_variable(entry, environment) for entry in entries)


def _variable(entry: str, environment: Mapping[str, str]) -> tuple[str, str]:
    name, equals, value = entry.partition("=")
    if equals:
        return name, value
    if name not in environment:
        raise UsageError(
            f"--env {name}: the gate's environment has no variable of this name.",
            hint="Write --env NAME=VALUE, or set the variable.",
        )
    return name, environment[name]


def _words(entries: list[str], environment: Mapping[str, str]) -> list[str]:
    return [word for entry in entries for word in entry.replace(",", " ").split()]


_READERS: dict[str, Callable[[Any, Mapping[str, str]], Any]] = {
    "env": _variables,
    "scenario": _words,
    "require": _words,
    "build_context": lambda value, _: os.fspath(value),
}


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _default(value: object) -> str:
    if value is None or value in ([], {}):
        return ""
    shown = " ".join(value) if isinstance(value, list) else _plain(value)
    return f" (default: {shown})"


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
