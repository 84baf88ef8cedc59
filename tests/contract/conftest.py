"""The reference service behind its ASGI application, spoken to as any client would."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from memtru_ci.reference.app import reference_app

Connect = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def speaking_to(app: Any, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an ASGI application that is closed at the end."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://service", headers=headers
    ) as client:
        yield client
    await app.close()


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Opens the reference service with any options."""

    def _connect(**options: Any) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        return speaking_to(reference_app(tmp_path, **options))

    return _connect


@pytest.fixture
async def client(connect: Connect) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the correct reference service, which can be restarted."""
    async with connect(restartable=True) as client:
        yield client
