"""The action's inputs: one table from their names to the settings they stand for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import UsageError
from memtru_ci.settings.file import Override

_PREFIX = "INPUT_"
_OF_EVERY_ACTION = frozenset({"args", "entrypoint"})


def _text(value: str) -> str:
    return value


def _whole_number(value: str) -> int:
    if not (value.isascii() and value.isdecimal()):
        raise ValueError("a whole number")
    return int(value)


def _seconds(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError("a number of seconds") from None


def _truth(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("true or false")
    return value == "true"


def _words(value: str) -> list[str]:
    """Separated by commas, blanks or line breaks."""
    return value.replace(",", " ").split()


def _variables(value: str) -> dict[str, str]:
    """`NAME=VALUE` a line. What is wrong is told by its number, as the line may be a secret."""
    found: dict[str, str] = {}
    for number, line in enumerate(value.splitlines(), 1):
        name, equals, content = line.partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or not name.strip():
            raise ValueError(f"NAME=VALUE on every line (line {number} is not)")
        if name.strip() in found:
            raise ValueError(f"a name only once (line {number} repeats one)")
        found[name.strip()] = content
    return found


def _target(kind: str) -> Callable[[str], str]:
    return lambda value: f"{kind}:{value}"


@dataclass(frozen=True)
class Input:
    """An input of the action.

    `key` is the setting that it stands for, empty where it is for the action alone. `default` is
    what action.yml has: GitHub sends it where the user says nothing, and so does the user who
    writes it out. It then leaves the settings file's value as it is.
    """

    key: str = ""
    default: str = ""
    read: Callable[[str], Any] = _text


INPUTS: Mapping[str, Input] = {
    "config": Input(),
    "target": Input("target"),
    "image": Input("target", read=_target("image")),
    "build-context": Input("build.context"),
    "dockerfile": Input("build.dockerfile", "Dockerfile"),
    "target-url": Input("target", read=_target("url")),
    "port": Input("port", "8080", _whole_number),
    "env": Input("env", read=_variables),
    "health-path": Input("health_path", "/health"),
    "ready-timeout": Input("ready_timeout", "60", _seconds),
    "scenarios": Input("scenarios", "all", _words),
    "require": Input("require", read=_words),
    "consistency-window": Input("window", "5", _seconds),
    "timeout": Input("timeout", "600", _seconds),
    "egress": Input("egress", "none"),
    "fail-on": Input("fail_on", "medium"),
    "fail-on-inconclusive": Input("fail_on_inconclusive", "true", _truth),
    "output-dir": Input("output_dir", "memtru-results"),
    "sarif-category": Input("sarif_category", "memtru"),
    "anchor": Input("anchor"),
    "summary": Input("", "true", _truth),
    "annotations": Input("", "true", _truth),
}
"""Every input by its name in action.yml, in its order."""

TARGETS = ("target", "image", "build-context", "target-url")
"""Of these at most one is given; without any, the settings file names the target."""


@dataclass(frozen=True)
class Inputs:
    """What a workflow said with `with:`."""

    config: str = ""
    summary: bool = True
    annotations: bool = True
    overrides: tuple[Override, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """Read `INPUT_*`; raises `UsageError` for a value that its input does not take."""
    given = {name: _given(name, environ) for name in INPUTS}
    values = {name: _read(name, value) for name, value in given.items() if value}
    targets = [name for name in TARGETS if given[name]]
    if len(targets) > 1:
        raise UsageError(
            f"The inputs {' and '.join(targets)} name {len(targets)} targets.",
            hint=f"Keep one of {', '.join(TARGETS)}.",
        )
    return Inputs(
        config=given["config"],
        summary=values["summary"] if given["summary"] else True,
        annotations=values["annotations"] if given["annotations"] else True,
        overrides=tuple(_overrides(given, values)),
        env=values.get("env", {}),
        warnings=tuple(_unknown(environ)),
    )


def variable_of(name: str) -> str:
    """The environment variable of an input; only blanks change, hyphens stay."""
    return _PREFIX + name.replace(" ", "_").upper()


def _given(name: str, environ: Mapping[str, str]) -> str:
    value = environ.get(variable_of(name), "")
    return value if INPUTS[name].read is _variables else value.strip()


def _read(name: str, value: str) -> Any:
    try:
        return INPUTS[name].read(value)
    except ValueError as allowed:
        shown = "" if name == "env" else f" It is {value[:100]!r}."
        raise UsageError(f"The input `{name}` takes {allowed}.{shown}") from None


def _overrides(given: Mapping[str, str], values: Mapping[str, Any]) -> Iterator[Override]:
    for name, value in values.items():
        one = INPUTS[name]
        if one.key and given[name] != one.default:
            yield Override(one.key, value, f"input {name}")


def _unknown(environ: Mapping[str, str]) -> Iterator[str]:
    known = {variable_of(name) for name in INPUTS}
    for variable in sorted(environ):
        name = variable.removeprefix(_PREFIX).lower()
        is_input = variable.startswith(_PREFIX) and variable == variable.upper()
        if is_input and variable not in known and name not in _OF_EVERY_ACTION:
            yield f"There is no input {name}. {did_you_mean(name, INPUTS)}".strip()
