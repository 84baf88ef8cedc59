"""Serves one adapter on one port, as the gate starts it: `REFERENCE HOST PORT`.

Its options come as JSON in the environment, because a command line can be read by everybody.
"""

import json
import os
import sys
from pathlib import Path

from memtru_ci.adapters.loading import load_adapter
from memtru_ci.adapters.serve import run
from memtru_ci.adapters.server import asgi_app
from memtru_ci.errors import MemtruError


def main(reference: str, host: str, port: str) -> int:
    """Serve until SIGTERM; the exit code."""
    options = json.loads(os.environ.pop("MEMTRU_ADAPTER_OPTIONS", "") or "{}")
    try:
        adapter = load_adapter(reference, options, search_in=Path.cwd())
        run(asgi_app(adapter), host, int(port))
    except MemtruError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
