"""Reads requests strictly: what is missing or of the wrong type is named, never guessed."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

LARGEST_PAGE = 1000
ROLES = ("user", "assistant", "system")


class BadRequestError(Exception):
    """A request that the contract does not allow; says which field, and what is expected."""


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object in a request's body."""
    try:
        body = await request.json()
    except ValueError as error:
        raise BadRequestError("the body is not JSON") from error
    if not isinstance(body, dict):
        raise BadRequestError("the body is not a JSON object")
    return body


def text(values: Any, name: str) -> str:
    """A required text; empty ones are allowed."""
    value = values.get(name)
    if not isinstance(value, str):
        raise BadRequestError(f"{name}: a string is required")
    if not _is_unicode(value):
        raise BadRequestError(f"{name}: not valid Unicode")
    return value


def name_of(values: Any, name: str) -> str:
    """A required text that names something, so that it cannot be empty."""
    value = text(values, name)
    if not value:
        raise BadRequestError(f"{name}: must not be empty")
    return value


def optional_name(values: Any, name: str) -> str | None:
    """A text that names something, or null."""
    return None if values.get(name) is None else name_of(values, name)


def metadata_of(body: dict[str, Any]) -> dict[str, Any]:
    """The caller's own object to be kept with a memory."""
    metadata = body.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise BadRequestError("metadata: an object is required")
    return metadata or {}


def limit_of(value: Any) -> int:
    """How many results are wanted, from a body or a query string; never more than one page."""
    digits = isinstance(value, str) and value.isascii() and value.isdigit()
    if not digits and type(value) is not int:
        raise BadRequestError("limit: a whole number is required")
    limit = int(value)
    if limit < 1:
        raise BadRequestError("limit: must be at least 1")
    return min(limit, LARGEST_PAGE)


def messages_of(body: dict[str, Any]) -> list[dict[str, str]]:
    """The messages of a conversation, with a role and a content each."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("messages: a list of at least one message is required")
    return [_message(message, f"messages[{index}]") for index, message in enumerate(messages)]


def _message(message: Any, where: str) -> dict[str, str]:
    if not isinstance(message, dict):
        raise BadRequestError(f"{where}: an object is required")
    if message.get("role") not in ROLES:
        raise BadRequestError(f"{where}.role: one of {', '.join(ROLES)} is required")
    return {"role": message["role"], "content": text(message, "content")}


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
