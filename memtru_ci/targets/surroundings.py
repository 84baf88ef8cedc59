"""What a process of the gate's own machine gets to see: a home of its own and what was named."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

NOT_ISOLATED = "a process of this machine: not isolated by the gate"


@contextmanager
def home() -> Iterator[str]:
    """A folder of its own as HOME, so that nothing of the user's is read or written."""
    folder = tempfile.mkdtemp(prefix="memtru-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: str, named: Mapping[str, str]) -> dict[str, str]:
    """PATH, HOME, and what was named; nothing else of the gate's own environment."""
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, **named}
