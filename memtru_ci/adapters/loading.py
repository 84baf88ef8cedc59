"""Loads an adapter from `package.module:Class`, with options as keyword arguments."""

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtru_ci.adapters.base import MemoryAdapter
from memtru_ci.errors import UsageError


def load_adapter(
    name: str, options: Mapping[str, Any] | None = None, *, search_in: Path | None = None
) -> MemoryAdapter:
    """An instance of the class; `search_in` is a folder in which its package may also be.

    Raises `UsageError` where the name is malformed, the module or class is not there or fails,
    the class is no `MemoryAdapter`, or it does not take the options.
    """
    module_name, colon, class_name = name.partition(":")
    if not (module_name and colon and class_name):
        raise UsageError(f"{name!r} names no adapter.", hint="Write package.module:Class.")
    if search_in is not None and str(search_in) not in sys.path:
        sys.path.insert(0, str(search_in))
    return _built(name, _found(module_name, class_name), dict(options or {}))


def _found(module_name: str, class_name: str) -> type[MemoryAdapter]:
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise UsageError(
            f"The module {module_name!r} cannot be imported: {type(error).__name__}: {error}.",
            hint="Is its package installed, or its folder on the path?",
        ) from error
    found = getattr(module, class_name, None)
    if not (isinstance(found, type) and issubclass(found, MemoryAdapter)):
        what = "has no class" if found is None else "has no MemoryAdapter"
        raise UsageError(
            f"The module {module_name!r} {what} {class_name!r}.",
            hint="The class must inherit from memtru_ci.adapters.MemoryAdapter.",
        )
    return found


def _built(name: str, cls: type[MemoryAdapter], options: dict[str, Any]) -> MemoryAdapter:
    try:
        return cls(**options)
    except Exception as error:
        given = ", ".join(sorted(options)) or "none"
        raise UsageError(
            f"The adapter {name!r} cannot be made: {type(error).__name__}: {error}.",
            hint=f"The options given were: {given}.",
        ) from error
