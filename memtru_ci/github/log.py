"""The log of a step: GitHub's commands, and lines that can never be one."""

import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from memtru_ci.reporters.text import COMMAND_BAR, command_free, lines_of, shortened, terminal_safe

_MAX_MESSAGE = 2_000
_MAX_TITLE = 100
_SHORTEST_MASK = 4
_NO_SECRETS = frozenset({"true", "false", "none", "null"})


class Log:
    """Writes to the step's standard output, line by line."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._in_group = False

    def line(self, text: str = "") -> None:
        """One line of text, whoever it is from."""
        self._write(harmless(text))

    def command(self, name: str, message: str = "", **properties: object) -> None:
        """A command of GitHub's, its texts escaped."""
        self._write(command(name, message, **properties))

    def mask(self, values: Iterable[str]) -> None:
        """Hide secrets in the log from here on, line by line; short ones would garble it."""
        lines = {line for value in values for line in lines_of(value)}
        for line in sorted(lines, key=lambda one: (-len(one), one)):
            if len(line.strip()) >= _SHORTEST_MASK and line.strip().lower() not in _NO_SECRETS:
                self._write(f"::add-mask::{escaped(line)}")

    def open_group(self, title: str) -> None:
        """Begin a group; groups do not nest, so an open one ends."""
        self.close_group()
        self.command("group", shortened(terminal_safe(title), _MAX_TITLE))
        self._in_group = True

    def close_group(self) -> None:
        """End the group, if one is open."""
        if self._in_group:
            self.command("endgroup")
            self._in_group = False

    def foreign(self, title: str, text: str) -> None:
        """Lines of a target's, in a group of their own, with commands switched off meanwhile."""
        self.open_group(title)
        with self._commands_off():
            for line in lines_of(text.rstrip()):
                self._write(command_free(COMMAND_BAR + _safe(line)))
        self.close_group()

    @contextmanager
    def _commands_off(self) -> Iterator[None]:
        token = uuid.uuid4().hex  # made after the target wrote its lines, so that none holds it
        self._write(f"::stop-commands::{token}")
        try:
            yield
        finally:
            self._write(f"::{token}::")

    def _write(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def harmless(text: str) -> str:
    """One line in which the runner finds no command; its indent stays."""
    return command_free(_safe(text))


def _safe(text: str) -> str:
    indent = text[: len(text) - len(text.lstrip(" "))]
    return indent + terminal_safe(text)


def command(name: str, message: str = "", **properties: object) -> str:
    """A command as the runner reads it."""
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
    lines = "\n".join(terminal_safe(line) for line in lines_of(message))
    safe = shortened(lines, _MAX_MESSAGE).replace("##[", "##\u200b[")
    return f"::{name}{' ' if told else ''}{told}::{escaped(safe)}"


def escaped(text: str) -> str:
    """The data of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    text = shortened(terminal_safe(str(value)), 500).replace("##[", "##\u200b[")
    return escaped(text).replace(":", "%3A").replace(",", "%2C")
