"""What the example's tests share: a client for either variant, over files that outlive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from memory_app.app import create_app
from memory_app.settings import Settings
from starlette.testclient import TestClient

Start = Callable[[bool], TestClient]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The directory that the application's databases are in."""
    return tmp_path / "data"


@pytest.fixture
def start(data: Path) -> Iterator[Start]:
    """Starts the application on the test's own files; a second call is a restart of the first."""
    running = ExitStack()

    def started(honour_tombstones: bool) -> TestClient:
        running.close()
        app = create_app(Settings(data, 0, honour_tombstones))
        return running.enter_context(TestClient(app))

    with running:
        yield started
