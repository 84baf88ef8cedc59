"""Starts the application: `python -m memory_api`."""

from __future__ import annotations

import os
from pathlib import Path

import uvicorn

from memory_api.app import create_app
from memory_api.memories import Memories


def main() -> None:
    """Serve until SIGTERM; a call in flight gets two seconds to end."""
    memories = Memories(Path(os.environ.get("DATA_DIR", "data")))
    uvicorn.run(
        create_app(memories),
        host="0.0.0.0",
        port=int(os.environ.get("PORT", "8080")),
        access_log=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
