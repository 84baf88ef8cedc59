"""Starts the example's server: `python -m memory_app`."""

from __future__ import annotations

import os

import uvicorn

from memory_app.app import create_app
from memory_app.settings import settings_from


def main() -> None:
    """Serve until SIGTERM; a call in flight gets two seconds to end."""
    settings = settings_from(os.environ)
    uvicorn.run(
        create_app(settings),
        host="0.0.0.0",
        port=settings.port,
        access_log=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
