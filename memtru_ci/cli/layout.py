"""Lays text out in columns that fit a terminal."""

import shutil
import textwrap
from typing import TextIO

from memtru_ci.reporters.text import command_free

_NARROWEST = 40
_WIDEST = 110
_DEFAULT = 80


def width_of(out: TextIO) -> int:
    """Columns to use: what the terminal has, 80 where there is none."""
    if not out.isatty():
        return _DEFAULT
    return min(_WIDEST, max(_NARROWEST, shutil.get_terminal_size((_DEFAULT, 24)).columns))


def hung(head: str, text: str, width: int) -> list[str]:
    """The text beside its head; lines that follow are indented as far, half the width at most.

    None of them is a command to GitHub's runner, wherever a line comes to be broken.
    """
    indent = " " * min(len(head), width // 2)
    wrapped = textwrap.wrap(
        f"{head}{text}".rstrip(),
        width,
        initial_indent="",
        subsequent_indent=indent,
        drop_whitespace=True,
        replace_whitespace=False,
        break_on_hyphens=False,
    )
    return [command_free(line) for line in wrapped or [head.rstrip()]]
