"""The HTTP contract, version 1.0, over the library."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mem0_app.history import History
from mem0_app.library import Kept, Library

LARGEST_PAGE = 1000
CAPABILITIES = [
    "MEMORY_WRITE",
    "MEMORY_UPDATE",
    "MEMORY_SEARCH",
    "MEMORY_LIST",
    "MEMORY_DELETE",
    "NAMESPACE_DELETE",
    "LIFECYCLE_CONVERSATION",
    "LIFECYCLE_CONSOLIDATE",
]


def create_app(library: Library, history: History) -> Starlette:
    """The ASGI application."""
    app = Starlette(
        routes=[
            Route("/health", health),
            Route("/capabilities", capabilities),
            Route("/memories", write, methods=["POST"]),
            Route("/memories", list_all, methods=["GET"]),
            Route("/memories/search", search, methods=["POST"]),
            Route("/memories/{memory}", update, methods=["PUT"]),
            Route("/memories/{memory}", delete, methods=["DELETE"]),
            Route("/namespaces/{namespace}", delete_namespace, methods=["DELETE"]),
            Route("/lifecycle/conversations", record, methods=["POST"]),
            Route("/lifecycle/consolidate", consolidate, methods=["POST"]),
        ]
    )
    app.state.library = library
    app.state.history = history
    return app


async def health(request: Request) -> Response:
    return JSONResponse({})


async def capabilities(request: Request) -> Response:
    return JSONResponse(
        {
            "contract": "1.0",
            "service": {"name": "mem0-library", "version": version("mem0ai")},
            "capabilities": CAPABILITIES,
        }
    )


async def write(request: Request) -> Response:
    body = await request.json()
    made = await run_sync(_library(request).add, body["namespace"], body["content"])
    if not made:
        return _problem(422, "Nothing was kept")
    return JSONResponse({"id": made[0].id}, 201)


async def update(request: Request) -> Response:
    body, memory = await request.json(), request.path_params["memory"]
    try:
        await run_sync(_library(request).update, memory, body["content"])
    except ValueError as error:
        return _problem(404, str(error))
    return JSONResponse({"id": memory})


async def search(request: Request) -> Response:
    body = await request.json()
    limit = min(int(body["limit"]), LARGEST_PAGE)
    found = await run_sync(_library(request).search, body["namespace"], body["query"], limit)
    return JSONResponse({"results": [_shown(one) for one in found]})


async def list_all(request: Request) -> Response:
    namespace = request.query_params["namespace"]
    found = await run_sync(_library(request).all_of, namespace, LARGEST_PAGE)
    return JSONResponse({"results": [_shown(one) for one in found], "next_cursor": None})


async def delete(request: Request) -> Response:
    library, memory = _library(request), request.path_params["memory"]
    if not await run_sync(library.has, memory):
        return _problem(404, "No such memory")
    await run_sync(library.delete, memory)
    return Response(status_code=204)


async def delete_namespace(request: Request) -> Response:
    namespace = request.path_params["namespace"]
    await run_sync(_library(request).delete_all, namespace)
    dropped = await run_sync(_history(request).forget, namespace)
    return _receipt(f"all memories and {dropped} message(s) dropped", dropped)


async def record(request: Request) -> Response:
    """Keep what the user said, for the next consolidation."""
    body = await request.json()
    texts = [one["content"] for one in body["messages"]]
    await run_sync(_history(request).append, body["namespace"], body["thread_id"], texts)
    return _receipt(f"{len(texts)} message(s) kept", len(texts))


async def consolidate(request: Request) -> Response:
    """Hand every new message to the library, once."""
    namespace = (await request.json())["namespace"]
    texts = await run_sync(_history(request).take_new, namespace)
    made: list[Kept] = []
    for text in texts:
        made += await run_sync(_library(request).add, namespace, text)
    created = [{"kind": "memory", "id": one.id} for one in made]
    return _receipt(f"{len(made)} memories made", len(texts), created)


def _library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


def _history(request: Request) -> History:
    history: History = request.app.state.history
    return history


def _shown(one: Kept) -> dict[str, Any]:
    return {"id": one.id, "content": one.text, "score": one.score}


def _receipt(
    detail: str, processed: int, created: list[dict[str, str]] | None = None
) -> JSONResponse:
    return JSONResponse(
        {"executed": True, "detail": detail, "processed": processed, "created": created or []}
    )


def _problem(status: int, title: str) -> JSONResponse:
    return JSONResponse(
        {"title": title, "status": status}, status, media_type="application/problem+json"
    )
