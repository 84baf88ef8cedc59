"""Errors as `application/problem+json`."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse


class NotFoundError(Exception):
    """There is no such record, or no longer; `status` tells the two apart."""

    def __init__(self, detail: str, status: HTTPStatus = HTTPStatus.NOT_FOUND) -> None:
        super().__init__(detail)
        self.status = status


def no_such_memory(memory_id: str, *, deleted: bool) -> NotFoundError:
    """The error for a memory that does not exist, or (`deleted`) that its owner deleted."""
    if deleted:
        return NotFoundError(f"memory {memory_id} was deleted", HTTPStatus.GONE)
    return NotFoundError(f"there is no memory {memory_id}")


async def on_bad_request(request: Request, error: Exception) -> JSONResponse:
    """Answer a request that the contract does not allow."""
    return problem(HTTPStatus.BAD_REQUEST, str(error))


async def on_not_found(request: Request, error: Exception) -> JSONResponse:
    """Answer a request for a record that is not there."""
    status = error.status if isinstance(error, NotFoundError) else HTTPStatus.NOT_FOUND
    return problem(status, str(error))


def problem(status: HTTPStatus, detail: str) -> JSONResponse:
    """A problem document."""
    body = {"type": "about:blank", "title": status.phrase, "status": status, "detail": detail}
    return JSONResponse(body, status_code=status, media_type="application/problem+json")
