"""Colours for verdicts, where a terminal can show them and nobody objects."""

import os
import re
from typing import TextIO

_CODES = {"PASS": "1;32", "FAIL": "1;31", "ERROR": "1;35", "INCONCLUSIVE": "1;33", "SKIPPED": "2"}
_AT_THE_FRONT = re.compile(r"^(Verdict:  )?(PASS|FAIL|ERROR|INCONCLUSIVE|SKIPPED)\b")


def coloured(line: str, out: TextIO) -> str:
    """The line with a verdict at its front in its colour."""
    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return line
    return _AT_THE_FRONT.sub(_painted, line)


def _painted(found: re.Match[str]) -> str:
    return f"{found[1] or ''}\x1b[{_CODES[found[2]]}m{found[2]}\x1b[0m"
