"""Starts the application: `python -m runs_app`."""

from __future__ import annotations

import os
from pathlib import Path

import uvicorn

from runs_app.app import create_app


def main() -> None:
    """Serve until SIGTERM; a call in flight gets two seconds to end."""
    uvicorn.run(
        create_app(
            Path(os.environ.get("DATA_DIR", "data")),
            checks_threads=os.environ.get("CHECKS_THREADS", "false") == "true",
        ),
        host="0.0.0.0",
        port=int(os.environ.get("PORT", "8080")),
        access_log=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
