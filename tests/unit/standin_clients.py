"""Real clients of a stand-in that really listens."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import httpx
from openai import AsyncOpenAI

from memtru_ci.standin.control import Control
from memtru_ci.standin.server import ModelServer, serving


@asynccontextmanager
async def client_of(server: ModelServer, *, retries: int = 0) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(
        base_url=f"{server.url}/v1", api_key="any", max_retries=retries, timeout=5
    ) as client:
        yield client


@asynccontextmanager
async def raw_client_of(server: ModelServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, timeout=5) as client:
        yield client


@asynccontextmanager
async def standin(
    control: Control | None = None, *, dimensions: int = 64, retries: int = 0
) -> AsyncIterator[tuple[ModelServer, AsyncOpenAI]]:
    """A server with a client of its own."""
    async with (
        serving(control, dimensions=dimensions) as server,
        client_of(server, retries=retries) as client,
    ):
        yield server, client


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another task is about to do."""
    with anyio.fail_after(5):
        while True:
            if holds():
                return
            await anyio.sleep(0.001)
