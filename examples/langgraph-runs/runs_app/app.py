"""The application's own REST API: runs on threads, and a search over all that was said."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from runs_app.checked import CheckedSaver
from runs_app.graph import conversation_graph


def create_app(data: Path, *, checks_threads: bool) -> Starlette:
    """The ASGI application; `checks_threads` is what the two variants differ in."""

    data.mkdir(parents=True, exist_ok=True)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with aiosqlite.connect(data / "threads.sqlite") as connection:
            saver = CheckedSaver(connection) if checks_threads else AsyncSqliteSaver(connection)
            await saver.setup()
            app.state.saver = saver
            app.state.graph = conversation_graph(saver)
            yield

    return Starlette(
        routes=[
            Route("/ok", ok),
            Route("/users/{user}/threads/{thread}/runs", run, methods=["POST"]),
            Route("/users/{user}/threads/{thread}", show, methods=["GET"]),
            Route("/users/{user}/threads/{thread}", delete, methods=["DELETE"]),
            Route("/users/{user}/messages", said, methods=["GET"]),
            Route("/users/{user}/messages/search", search, methods=["POST"]),
        ],
        lifespan=lifespan,
    )


async def ok(request: Request) -> Response:
    """Whether calls can be taken."""
    return JSONResponse({"ok": True})


async def run(request: Request) -> Response:
    """Add the user's message to a thread, and let the model answer it."""
    thread_id = _thread_id(request)
    if await _is_gone(request, thread_id):
        return JSONResponse({"detail": "this thread was deleted"}, 410)
    asked = HumanMessage(str((await request.json())["input"]))
    state = await request.app.state.graph.ainvoke(
        {"messages": [asked]}, {"configurable": {"thread_id": thread_id}}
    )
    if await _is_gone(request, thread_id):
        return JSONResponse({"detail": "this thread was deleted while it ran"}, 410)
    messages: list[AnyMessage] = state["messages"]
    return JSONResponse({"message": messages[-2].id, "answer": messages[-1].text})


async def show(request: Request) -> Response:
    """The messages of one thread."""
    messages = await _messages_of(request, _thread_id(request))
    return JSONResponse({"messages": [_shown(one) for one in messages]}, 200 if messages else 404)


async def delete(request: Request) -> Response:
    """Delete a thread with all its checkpoints."""
    thread_id = _thread_id(request)
    was_there = bool(await _messages_of(request, thread_id))
    await request.app.state.saver.adelete_thread(thread_id)
    return Response(status_code=204 if was_there else 404)


async def said(request: Request) -> Response:
    """All messages of all threads of a user."""
    return JSONResponse({"messages": [_shown(one) for one in await _all_messages(request)]})


async def search(request: Request) -> Response:
    """The user's messages that share words with a text, best first."""
    body = await request.json()
    wanted = _words(body["text"])
    scored = [(len(wanted & _words(one.text)), one) for one in await _all_messages(request)]
    found = sorted((one for one in scored if one[0]), key=lambda one: -one[0])
    return JSONResponse({"messages": [_shown(one) for _, one in found[: int(body["most"])]]})


async def _all_messages(request: Request) -> list[AnyMessage]:
    prefix = f"{request.path_params['user']}/"
    query = "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id"
    async with request.app.state.saver.conn.execute(query) as rows:
        threads = [thread for (thread,) in await rows.fetchall() if thread.startswith(prefix)]
    return [one for thread in threads for one in await _messages_of(request, thread)]


async def _messages_of(request: Request, thread_id: str) -> list[AnyMessage]:
    config = {"configurable": {"thread_id": thread_id}}
    newest = await request.app.state.saver.aget_tuple(config)
    return [] if newest is None else newest.checkpoint["channel_values"].get("messages", [])


async def _is_gone(request: Request, thread_id: str) -> bool:
    saver = request.app.state.saver
    return isinstance(saver, CheckedSaver) and await saver.is_deleted(thread_id)


def _thread_id(request: Request) -> str:
    return f"{request.path_params['user']}/{request.path_params['thread']}"


def _shown(message: AnyMessage) -> dict[str, Any]:
    return {"id": message.id, "from": message.type, "text": message.text}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
