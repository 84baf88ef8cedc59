"""Starts one of the service's processes: `python -m memo serve`, `worker` or `consolidate`."""

from __future__ import annotations

import os
import signal
import sys

from memo.consolidation import consolidate
from memo.parts import Parts, made_from
from memo.settings import settings_from
from memo.worker import work


def main(arguments: list[str]) -> int:
    """Do what the first argument says; the exit code."""
    signal.signal(signal.SIGTERM, _end)
    parts = made_from(settings_from(os.environ))
    match arguments:
        case ["serve"]:
            _serve(parts)
        case ["worker"]:
            work(parts)
        case ["consolidate"]:
            print(f"{consolidate(parts)} memo(s) made")
        case _:
            print("usage: python -m memo serve | worker | consolidate", file=sys.stderr)
            return 2
    return 0


def _serve(parts: Parts) -> None:
    import uvicorn

    from memo.app import create_app

    uvicorn.run(
        create_app(parts),
        host="0.0.0.0",
        port=parts.settings.port,
        access_log=False,
        timeout_graceful_shutdown=2,
    )


def _end(signal_number: int, frame: object) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
