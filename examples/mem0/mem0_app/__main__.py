"""Starts the server: `python -m mem0_app`."""

from __future__ import annotations

import os
from pathlib import Path

import uvicorn

from mem0_app.app import create_app
from mem0_app.history import History
from mem0_app.library import Library


def main() -> None:
    """Serve until SIGTERM; a call in flight gets two seconds to end."""
    data = Path(os.environ.get("DATA_DIR", "data"))
    library = Library(
        data,
        model_url=os.environ["OPENAI_BASE_URL"],
        model_key=os.environ["OPENAI_API_KEY"],
        infers=os.environ.get("INFER", "true") == "true",
    )
    uvicorn.run(
        create_app(library, History(data / "app.sqlite")),
        host="0.0.0.0",
        port=int(os.environ.get("PORT", "8080")),
        access_log=False,
        timeout_graceful_shutdown=2,
    )


if __name__ == "__main__":
    main()
