"""Reading and writing the JSON files of the policy commands."""

import json
import os
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from memtru_ci.policy import canonical

DEEPEST = 50
"""Levels of nesting; the policy's own documents have six."""

LARGEST = 512 * 1024 * 1024
"""Bytes of a file that is read."""


class Unusable(Exception):
    """A file or an option that a command cannot work with: what is wrong, and what to try."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read(path: Path) -> Any:
    """The JSON in a file. Raises `Unusable`."""
    try:
        if path.stat().st_size > LARGEST:
            raise Unusable(f"{path} is larger than {LARGEST} bytes.")
        found = json.loads(path.read_bytes(), parse_constant=_number, parse_float=_number)
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from None
    except RecursionError:
        raise Unusable(f"{path} is nested too deeply.") from None
    except ValueError as error:
        raise Unusable(f"{path} is not JSON: {error}.") from None
    if is_deeper(found, DEEPEST):
        raise Unusable(f"{path} is nested too deeply.")
    return found


def is_deeper(found: object, levels: int) -> bool:
    """Whether lists and objects are nested over more than that many levels."""
    layer = [found]
    for _ in range(levels + 1):
        layer = [inner for one in layer for inner in _inside(one)]
        if not layer:
            return False
    return True


def write(path: Path, document: Mapping[str, object]) -> None:
    """Write a document whole or not at all. Raises `Unusable`."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(canonical.readable(document), "utf-8")
        beside.replace(path)
    except OSError as error:
        raise Unusable(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        beside.unlink(missing_ok=True)


def format_of(document: object) -> str:
    """What a document says that it is; empty where it says nothing."""
    named = document.get("format") if isinstance(document, Mapping) else None
    return named if isinstance(named, str) else ""


def _inside(found: object) -> Iterable[object]:
    if isinstance(found, dict):
        return found.values()
    return found if isinstance(found, list) else ()


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is no number of JSON")
    return number
