"""The files by which a step hands values to GitHub: outputs, state and the job's summary."""

import sys
import uuid
from collections.abc import Mapping

from memtru_ci.reporters.text import terminal_safe

MAX_SUMMARY_BYTES = 1024 * 1024


def set_values(variable: str, environ: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """Append values to the file that `GITHUB_OUTPUT` or `GITHUB_STATE` names."""
    return _append(variable, environ, "".join(_entry(*item) for item in values.items()))


def add_summary(environ: Mapping[str, str], text: str) -> bool:
    """Append to the job's summary; one that is too large would be shown as an error instead."""
    if len(text.encode("utf-8", "backslashreplace")) > MAX_SUMMARY_BYTES:
        _warn("the job's summary was left out, as it is over 1 MiB")
        return False
    return _append("GITHUB_STEP_SUMMARY", environ, text)


def _entry(name: str, value: str) -> str:
    """A value between delimiters that nothing in it can match, as they are made by chance now."""
    delimiter = f"ghadelimiter_{uuid.uuid4()}"
    if delimiter in value or delimiter in name:
        raise ValueError(f"{name} holds the delimiter")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _append(variable: str, environ: Mapping[str, str], text: str) -> bool:
    """Whether it was written. Some runners name files that a container cannot see."""
    path = environ.get(variable, "")
    if not path:
        return _warn(f"{variable} is not set; nothing was written to it")
    try:
        with open(path, "ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        return _warn(f"{variable} cannot be written to: {error.strerror}")
    return True


def _warn(what: str) -> bool:
    print(f"memtru-ci: {terminal_safe(what)}", file=sys.stderr, flush=True)
    return False
