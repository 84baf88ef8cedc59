"""The hash by which code scanning knows a line again, and the gate's own key of a finding."""

import hashlib
import re
from collections import Counter

_WINDOW = 100
_BASE = 37
_MODULUS = 2**64
_END_OF_FILE = 0xFFFF


def line_hashes(text: str) -> list[str]:
    """CodeQL's rolling hash of each line, as `upload-sarif` computes it.

    A line's hash covers the 100 UTF-16 units that begin at its start, blanks left out; a number
    tells equal hashes of one file apart. So it holds while the line moves, and changes with it.
    """
    units = _units(re.sub(r"[ \t]", "", re.sub(r"\r\n?", "\n", text)))
    starts = [0, *(index + 1 for index, unit in enumerate(units) if unit == ord("\n"))]
    padded = [*units, _END_OF_FILE, *[0] * _WINDOW]
    seen: Counter[str] = Counter()
    hashes = []
    for start in starts:
        digest = _digest(padded[start : start + _WINDOW])
        seen[digest] += 1
        hashes.append(f"{digest}:{seen[digest]}")
    return hashes


def finding_key(rule: str, target: str, finding: str) -> str:
    """The same for the same finding on the same target, whatever tag, digest or port it has."""
    parts = "\n".join((rule, stable_name(target), finding))
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:32] + ":1"


def stable_name(target: str) -> str:
    """A target's name without what changes from one build or run to the next."""
    kind, _, rest = target.partition(":")
    if kind == "image":
        rest = re.sub(r":[^:/]*$", "", rest.partition("@")[0])
    elif kind == "url":
        rest = re.sub(r"^(\w+://)(?:[^/@]*@)?([^/:]+|\[[^\]]*\]):\d+", r"\1\2", rest)
    return f"{kind}:{rest}"


def _digest(units: list[int]) -> str:
    value = 0
    for unit in units:
        value = (value * _BASE + unit) % _MODULUS
    return f"{value:x}"


def _units(text: str) -> list[int]:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return [low | high << 8 for low, high in zip(encoded[::2], encoded[1::2], strict=True)]
