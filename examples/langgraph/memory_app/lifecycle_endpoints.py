"""The endpoints for lifecycle events and for the profile."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_app.memory_endpoints import application
from memory_app.payloads import body_of, messages_of, name_of, optional_name, text
from memory_app.problems import NotFoundError

PROFILE = {
    "name": "profile",
    "description": "The facts about a user that an agent is given when a session starts.",
}


async def begin_pending_write(request: Request) -> Response:
    """LIFECYCLE_PENDING_WRITES: start a write and hold it"""
    body = await body_of(request)
    what = (name_of(body, "namespace"), text(body, "content"), optional_name(body, "target_id"))
    return JSONResponse(await run_in_threadpool(application(request).hold_write, *what))


async def release_pending_writes(request: Request) -> Response:
    """LIFECYCLE_PENDING_WRITES: let held writes go on"""
    namespace = name_of(await body_of(request), "namespace")
    return JSONResponse(await run_in_threadpool(application(request).release_writes, namespace))


async def record_conversation(request: Request) -> Response:
    """LIFECYCLE_CONVERSATION"""
    body = await body_of(request)
    what = (name_of(body, "namespace"), name_of(body, "thread_id"), messages_of(body))
    return JSONResponse(await run_in_threadpool(application(request).converse, *what))


async def ingest(request: Request) -> Response:
    """LIFECYCLE_NEW_SESSION and LIFECYCLE_CONSOLIDATE: this application does the same at both"""
    namespace = name_of(await body_of(request), "namespace")
    return JSONResponse(await run_in_threadpool(application(request).ingest, namespace))


async def list_surfaces(request: Request) -> Response:
    """LIFECYCLE_SURFACES: what there is to read besides search and list"""
    name_of(request.query_params, "namespace")
    return JSONResponse({"surfaces": [PROFILE]})


async def read_surface(request: Request) -> Response:
    """LIFECYCLE_SURFACES: read one of them"""
    body = await body_of(request)
    if request.path_params["name"] != PROFILE["name"]:
        raise NotFoundError(f"there is no surface {request.path_params['name']}")
    what = (name_of(body, "namespace"), text(body, "query"))
    lines = await run_in_threadpool(application(request).profile, *what)
    return JSONResponse({"results": [{"id": line.key, **line.value} for line in lines]})


ROUTES = [
    Route("/lifecycle/pending-writes", begin_pending_write, methods=["POST"]),
    Route("/lifecycle/pending-writes/release", release_pending_writes, methods=["POST"]),
    Route("/lifecycle/conversations", record_conversation, methods=["POST"]),
    Route("/lifecycle/sessions", ingest, methods=["POST"]),
    Route("/lifecycle/consolidate", ingest, methods=["POST"]),
    Route("/lifecycle/surfaces", list_surfaces, methods=["GET"]),
    Route("/lifecycle/surfaces/{name:path}", read_surface, methods=["POST"]),
]
