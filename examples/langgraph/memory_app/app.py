"""The HTTP contract, version 1.0, over the application: a service of its own in plain Starlette."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_app import lifecycle_endpoints, memory_endpoints
from memory_app.payloads import BadRequestError
from memory_app.persistence import opened
from memory_app.problems import NotFoundError, on_bad_request, on_not_found
from memory_app.service import MemoryApplication
from memory_app.settings import Settings

CAPABILITIES = [
    "MEMORY_WRITE",
    "MEMORY_UPDATE",
    "MEMORY_SEARCH",
    "MEMORY_LIST",
    "MEMORY_DELETE",
    "THREAD_DELETE",
    "NAMESPACE_DELETE",
    "LIFECYCLE_PENDING_WRITES",
    "LIFECYCLE_CONVERSATION",
    "LIFECYCLE_NEW_SESSION",
    "LIFECYCLE_CONSOLIDATE",
    "LIFECYCLE_SURFACES",
]


def create_app(settings: Settings) -> Starlette:
    """The ASGI application; it opens its databases when the server starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        with opened(settings.data) as kept:
            app.state.application = MemoryApplication(
                kept, honour_tombstones=settings.honour_tombstones
            )
            yield

    return Starlette(
        routes=[
            Route("/health", health, methods=["GET"]),
            Route("/capabilities", capabilities, methods=["GET"]),
            *memory_endpoints.ROUTES,
            *lifecycle_endpoints.ROUTES,
        ],
        exception_handlers={BadRequestError: on_bad_request, NotFoundError: on_not_found},
        lifespan=lifespan,
    )


async def health(request: Request) -> Response:
    """No call is answered before the databases are open, so an answer means ready."""
    return JSONResponse({"status": "ok"})


async def capabilities(request: Request) -> Response:
    """What this service can do, in the contract's words."""
    service = {"name": "langgraph-memory-example", "version": "1.0.0"}
    return JSONResponse({"contract": "1.0", "service": service, "capabilities": CAPABILITIES})
