"""The application's own REST API."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from anyio.to_thread import run_sync
from langgraph.store.base import Item
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_api.memories import LARGEST_SHELF, Memories


def create_app(memories: Memories) -> Starlette:
    """The ASGI application."""
    app = Starlette(
        routes=[
            Route("/ok", ok),
            Route("/users/{user}/memories", create, methods=["POST"]),
            Route("/users/{user}/memories", list_all, methods=["GET"]),
            Route("/users/{user}/memories/search", search, methods=["POST"]),
            Route("/users/{user}/memories/{memory:uuid}", show, methods=["GET"]),
            Route("/users/{user}/memories/{memory:uuid}", update, methods=["PUT"]),
            Route("/users/{user}/memories/{memory:uuid}", delete, methods=["DELETE"]),
        ]
    )
    app.state.memories = memories
    return app


async def ok(request: Request) -> Response:
    """Whether calls can be taken."""
    return JSONResponse({"ok": True})


async def create(request: Request) -> Response:
    """Keep a memory."""
    body = await request.json()
    memory = await run_sync(_memories(request).create, _user(request), str(body["content"]))
    return JSONResponse({"memory": memory}, 201)


async def update(request: Request) -> Response:
    """Give a memory another content. The tool does not ask whether it exists."""
    body = await request.json()
    said = await run_sync(
        _memories(request).update, _user(request), _id(request), str(body["content"])
    )
    return JSONResponse({"said": said})


async def delete(request: Request) -> Response:
    """Delete a memory; 404 where there is none."""
    if await run_sync(_memories(request).get, _user(request), _id(request)) is None:
        return JSONResponse({"detail": "there is no such memory"}, 404)
    said = await run_sync(_memories(request).delete, _user(request), _id(request))
    return JSONResponse({"said": said})


async def show(request: Request) -> Response:
    """One memory."""
    found = await run_sync(_memories(request).get, _user(request), _id(request))
    return JSONResponse(_shown(found) if found else {}, 200 if found else 404)


async def list_all(request: Request) -> Response:
    """All memories of a user."""
    found = await run_sync(_memories(request).search, _user(request), None, LARGEST_SHELF)
    return JSONResponse({"memories": [_shown(one) for one in found]})


async def search(request: Request) -> Response:
    """The memories that are closest to a text, best first."""
    body = await request.json()
    found = await run_sync(
        _memories(request).search, _user(request), str(body["query"]), int(body["limit"])
    )
    return JSONResponse({"memories": [_shown(one) for one in found]})


def _memories(request: Request) -> Memories:
    memories: Memories = request.app.state.memories
    return memories


def _user(request: Request) -> str:
    return str(request.path_params["user"])


def _id(request: Request) -> UUID:
    memory: UUID = request.path_params["memory"]
    return memory


def _shown(item: Item) -> dict[str, Any]:
    return {"id": item.key, "content": item.value["content"]}
