"""The command that performs a run with the same settings again."""

from collections.abc import Iterator
from typing import Any

from memtru_ci.settings.file import LoadedSettings, Override

_FLAGS = {"build.context": "--build-context", "build.dockerfile": "--dockerfile"}
_LEFT_OUT = ("scenarios", "seed", "output_dir")


def command_of(loaded: LoadedSettings) -> list[str]:
    """Its words, without scenarios and seed; of variables only the names, as values are secret."""
    words = ["memtru-ci", "test"]
    if loaded.path is not None:
        words += ["--config", str(loaded.path)]
    for one in loaded.overrides or _set_by_hand(loaded):
        if one.key not in _LEFT_OUT:
            words += _words(one)
    return words


def _set_by_hand(loaded: LoadedSettings) -> Iterator[Override]:
    """What was set where there is neither a file nor anything laid over it."""
    for key in sorted(loaded.settings.model_fields_set if loaded.path is None else ()):
        value = getattr(loaded.settings, key)
        if isinstance(value, str | int | float):
            yield Override(key, value, key)


def _words(one: Override) -> list[str]:
    flag = _FLAGS.get(one.key, f"--{one.key.replace('_', '-')}")
    if isinstance(one.value, bool):
        return [flag if one.value else flag.replace("--", "--no-", 1)]
    if isinstance(one.value, list | dict):
        return [word for each in one.value for word in (flag, str(each))]
    return [flag, _plain(one.value)]


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
