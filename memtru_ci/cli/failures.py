"""Turns whatever goes wrong into one message and an exit code; users never see a traceback."""

import os
import sys
from collections.abc import Callable

from memtru_ci.errors import EXIT_INFRASTRUCTURE, MemtruError, innermost

EXIT_INTERRUPTED = 130

_DEBUG = "MEMTRU_DEBUG"


def exit_code_of(run: Callable[[], object]) -> int:
    """Run a command to its end; tell what went wrong on standard error."""
    try:
        run()
    except SystemExit as leaving:
        return _code(leaving)
    except KeyboardInterrupt:
        say("interrupted.")
        return EXIT_INTERRUPTED
    except Exception as error:
        return _told(innermost(error))
    return 0


def _told(error: BaseException) -> int:
    if isinstance(error, MemtruError):
        say(f"error: {error.message}", error.hint)
        return error.exit_code
    if os.environ.get(_DEBUG) == "1":
        import traceback

        traceback.print_exception(error)
    say(
        f"error: {type(error).__name__}: {error}",
        f"This is a fault of memtru-ci, please report it. {_DEBUG}=1 shows where it happened.",
    )
    return EXIT_INFRASTRUCTURE


def _code(leaving: SystemExit) -> int:
    if leaving.code is None or isinstance(leaving.code, int):
        return leaving.code or 0
    say(f"error: {leaving.code}")
    return EXIT_INFRASTRUCTURE


def say(message: str, hint: str = "") -> None:
    """One message on standard error, and what to try."""
    from memtru_ci.reporters.text import command_free, terminal_safe

    lines = [f"memtru-ci: {message.splitlines()[0] if message else ''}"]
    lines += [f"  {line}" for line in message.splitlines()[1:]]
    lines += [f"  {hint}"] if hint else []
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        print(command_free(indent + terminal_safe(line)), file=sys.stderr)
