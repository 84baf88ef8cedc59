"""The service's own REST API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from memo.memos import Memos
from memo.parts import Parts
from memo.store import Memo

LARGEST_PAGE = 100


class Text(BaseModel):
    """A text to be kept."""

    text: str = Field(min_length=1, max_length=10_000)


class Question(BaseModel):
    """What is looked for, and how many memos are wanted at most."""

    about: str = Field(min_length=1, max_length=1000)
    top: int = Field(default=10, ge=1, le=LARGEST_PAGE)


def create_app(parts: Parts) -> FastAPI:
    """The application. Plain endpoints run in threads, so that a slow one holds up no other."""
    app = FastAPI(title="Memo")
    app.state.parts = parts
    app.state.memos = Memos(parts)
    app.include_router(_router)
    update = update_reading_itself if parts.settings.reads_body_itself else update_with_model
    app.add_api_route("/v1/users/{user}/memos/{memo_id}", update, methods=["PUT"])
    return app


def _parts(request: Request) -> Parts:
    return request.app.state.parts


def _memos(request: Request) -> Memos:
    return request.app.state.memos


PartsOf = Annotated[Parts, Depends(_parts)]
MemosOf = Annotated[Memos, Depends(_memos)]


def existing(user: str, memo_id: str, memos: MemosOf) -> str:
    """The id of a memo that is there; 404 for any other."""
    if not memos.has(user, memo_id):
        raise HTTPException(404, "there is no such memo")
    return memo_id


_router = APIRouter()


@_router.get("/ready")
def ready() -> dict[str, bool]:
    """Whether calls can be taken."""
    return {"ready": True}


@_router.post("/v1/users/{user}/memos", status_code=201)
def add(user: str, body: Text, memos: MemosOf) -> dict[str, Any]:
    """Keep a memo."""
    return {"memo": _shown(memos.add(user, body.text))}


@_router.get("/v1/users/{user}/memos")
def list_all(
    user: str,
    memos: MemosOf,
    page: Annotated[int, Query(ge=1)] = 1,
    size: Annotated[int, Query(ge=1, le=LARGEST_PAGE)] = 50,
) -> dict[str, Any]:
    """A page of the memos; `more` says whether there is a next one."""
    found = memos.all_of(user)
    shown = found[(page - 1) * size : page * size]
    return {"memos": [_shown(one) for one in shown], "more": page * size < len(found)}


@_router.post("/v1/users/{user}/memos/find")
def find(user: str, body: Question, memos: MemosOf) -> dict[str, Any]:
    """The memos that are closest to a question, best first."""
    found = memos.about(user, body.about, body.top)
    return {"hits": [{"score": score, "memo": _shown(one)} for score, one in found]}


@_router.delete("/v1/users/{user}/memos/{memo_id}", status_code=204)
def remove(user: str, memo_id: str, memos: MemosOf) -> None:
    """Delete a memo."""
    if not memos.remove(user, memo_id):
        raise HTTPException(404, "there is no such memo")


@_router.post("/v1/users/{user}/talks/{talk}", status_code=202)
def say(user: str, talk: str, body: Text, parts: PartsOf) -> dict[str, bool]:
    """Keep something that the user said; memos are made of it by the next consolidation."""
    parts.history.append(user, talk, body.text)
    return {"kept": True}


@_router.get("/v1/jobs/{job_id}")
def job(job_id: str, parts: PartsOf) -> dict[str, str]:
    """What became of an update that was queued."""
    state = parts.queue.state_of(job_id) if parts.queue else None
    if state is None:
        raise HTTPException(404, "there is no such job")
    return {"job": job_id, "state": state}


def update_with_model(
    user: str,
    body: Text,
    memo_id: Annotated[str, Depends(existing)],
    parts: PartsOf,
    memos: MemosOf,
) -> Any:
    """Give a memo another text. The framework reads the body before it asks any dependency."""
    return _updated(user, memo_id, body.text, parts, memos)


async def update_reading_itself(
    user: str, memo_id: str, request: Request, parts: PartsOf, memos: MemosOf
) -> Any:
    """The same by hand: the memo is looked up when the head of the request is there."""
    await run_in_threadpool(existing, user, memo_id, memos)
    try:
        body = Text.model_validate_json(await request.body())
    except ValidationError as error:
        raise HTTPException(422, "the body must be a text") from error
    return await run_in_threadpool(_updated, user, memo_id, body.text, parts, memos)


def _updated(user: str, memo_id: str, text: str, parts: Parts, memos: Memos) -> Any:
    if parts.queue is not None:
        queued = parts.queue.add(user, memo_id, text)
        return JSONResponse({"job": queued.id, "state": "queued"}, 202)
    if not memos.apply(user, memo_id, text):
        raise HTTPException(409, "the memo was deleted")
    return JSONResponse({"memo": {"id": memo_id, "text": text}})


def _shown(memo: Memo) -> dict[str, str]:
    return {"id": memo.id, "text": memo.text}
