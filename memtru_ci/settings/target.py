"""A target as users write it: `kind:rest`."""

import re
from dataclasses import dataclass

from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.settings.options import TARGET_KINDS

_FORMS = {
    "image": r"[a-z0-9][A-Za-z0-9._:/@-]{0,254}",
    "build": r"",
    "container": r"[A-Za-z0-9][A-Za-z0-9_.-]{0,254}",
    "url": r"https?://[^\s/?#@]+(?:/[^\s?#]*)?",
    "process": r".*\S.*",
    "python": r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*",
    "embedded": r"[a-z_]*",
}


@dataclass(frozen=True)
class TargetName:
    """A kind of target and what it needs to know, for example `image` and `acme/memory:1.2`."""

    kind: str
    rest: str

    def __str__(self) -> str:
        return self.kind if self.kind == "build" else f"{self.kind}:{self.rest}"


def parse_target(text: str) -> TargetName:
    """Take `kind:rest` apart; raises `ValueError`, which says what is allowed."""
    kind, _, rest = text.partition(":")
    if kind not in TARGET_KINDS:
        hint = did_you_mean(kind, TARGET_KINDS) or f"Write image:{text} for an image."
        raise ValueError(f"a target begins with {_kinds()}. {hint}")
    if not re.fullmatch(_FORMS[kind], rest):
        raise ValueError(f"{kind}: is {TARGET_KINDS[kind]}")
    return TargetName(kind, rest)


def _kinds() -> str:
    return ", ".join(f"{kind}:" for kind in TARGET_KINDS)
