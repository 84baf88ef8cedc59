"""Whether the `.dockerignore` of a context can be read, and matched in time."""

import os
from pathlib import Path

from memtru_ci.errors import UsageError

IGNORE = ".dockerignore"
MOST_BYTES = 64 * 1024
MOST_STARS = 3
"""In one part of a path, and of the kind that spans parts; each more can take a hundred times the
time, in which nothing could end the gate.
"""


def check_ignored(context: Path) -> None:
    """Raises `UsageError` where `.dockerignore` is no file of the context, or takes ages to match.

    A pull request may make it a link to `/dev/zero`.
    """
    path = context / IGNORE
    if not os.path.lexists(path):
        return
    if not is_file_of(context, IGNORE) or path.stat().st_size > MOST_BYTES:
        raise UsageError(
            f"{path} is no file inside of the build context of at most {MOST_BYTES // 1024} KiB.",
            hint="A link to elsewhere is not followed.",
        )
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.startswith("#") and _stars(line) > MOST_STARS:
            raise UsageError(
                f"{path}:{number}: the pattern has more than {MOST_STARS} stars in one part of a "
                "path, or `**` more often than that.",
                hint="Write it as several patterns.",
            )


def is_file_of(context: Path, name: str) -> bool:
    """Whether it is a file inside of the context, at the end of all links."""
    file = (context / name).resolve()
    return file.is_file() and file.is_relative_to(context.resolve())


def _stars(pattern: str) -> int:
    parts = pattern.strip().split("/")
    spanning = sum("**" in part for part in parts)
    return max(spanning, *(part.replace("**", "*").count("*") for part in parts))
