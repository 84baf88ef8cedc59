"""The endpoints for memories, threads and namespaces."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_app.payloads import body_of, limit_of, metadata_of, name_of, text
from memory_app.problems import no_such_memory
from memory_app.service import MemoryApplication


def application(request: Request) -> MemoryApplication:
    """The application that the server opened when it started."""
    app: MemoryApplication = request.app.state.application
    return app


async def write(request: Request) -> Response:
    """MEMORY_WRITE"""
    body = await body_of(request)
    what = (name_of(body, "namespace"), text(body, "content"), metadata_of(body))
    memory_id = await run_in_threadpool(application(request).write, *what)
    return JSONResponse({"id": memory_id}, status_code=201)


async def update(request: Request) -> Response:
    """MEMORY_UPDATE"""
    body = await body_of(request)
    memory_id = request.path_params["id"]
    what = (name_of(body, "namespace"), memory_id, text(body, "content"))
    outcome = await run_in_threadpool(application(request).update, *what)
    if outcome != "updated":
        raise no_such_memory(memory_id, deleted=outcome == "refused")
    return JSONResponse({"id": memory_id})


async def delete(request: Request) -> Response:
    """MEMORY_DELETE"""
    memory_id = request.path_params["id"]
    namespace = name_of(request.query_params, "namespace")
    if await run_in_threadpool(application(request).forget, namespace, memory_id) == "missing":
        raise no_such_memory(memory_id, deleted=False)
    return Response(status_code=204)


async def search(request: Request) -> Response:
    """MEMORY_SEARCH"""
    body = await body_of(request)
    what = (name_of(body, "namespace"), text(body, "query"), limit_of(body.get("limit")))
    found = await run_in_threadpool(application(request).search, *what)
    results = [{"id": item.key, "score": score, **item.value} for score, item in found]
    return JSONResponse({"results": results})


async def list_memories(request: Request) -> Response:
    """MEMORY_LIST"""
    asked = request.query_params
    items, cursor = await run_in_threadpool(
        application(request).memories,
        name_of(asked, "namespace"),
        after=asked.get("cursor") or "",
        limit=limit_of(asked.get("limit", "100")),
    )
    results: list[dict[str, Any]] = [{"id": item.key, **item.value} for item in items]
    return JSONResponse({"results": results, "next_cursor": cursor})


async def delete_thread(request: Request) -> Response:
    """THREAD_DELETE"""
    what = (name_of(request.query_params, "namespace"), request.path_params["thread_id"])
    return JSONResponse(await run_in_threadpool(application(request).delete_thread, *what))


async def delete_namespace(request: Request) -> Response:
    """NAMESPACE_DELETE"""
    namespace = request.path_params["namespace"]
    return JSONResponse(await run_in_threadpool(application(request).delete_namespace, namespace))


# `:path`, because an id may hold an encoded slash.
ROUTES = [
    Route("/memories/search", search, methods=["POST"]),
    Route("/memories", write, methods=["POST"]),
    Route("/memories", list_memories, methods=["GET"]),
    Route("/memories/{id:path}", update, methods=["PUT"]),
    Route("/memories/{id:path}", delete, methods=["DELETE"]),
    Route("/threads/{thread_id:path}", delete_thread, methods=["DELETE"]),
    Route("/namespaces/{namespace:path}", delete_namespace, methods=["DELETE"]),
]
