"""Reads the body of a request, which is hostile: bounded in bytes, in depth and in time."""

import json
from collections.abc import Callable, Iterator
from typing import NoReturn

from anyio import fail_after
from pydantic import JsonValue
from starlette.requests import Request

from memtru_ci.standin.faults import ApiFault

MAX_BODY_BYTES = 8 * 1024 * 1024
BODY_DEADLINE_S = 30.0
"""Seconds that a body may take to arrive."""

MOST_BYTES_AT_ONCE = 4 * MAX_BODY_BYTES

JsonObject = dict[str, JsonValue]


class Room:
    """What all bodies together may take while they are read and answered."""

    def __init__(self, most_bytes: int = MOST_BYTES_AT_ONCE) -> None:
        self._left = most_bytes

    def take(self, count: int) -> None:
        """Raises `ApiFault` (503) where so much is not left; it is taken all the same."""
        self._left -= count
        if self._left < 0:
            raise ApiFault(503, "Too many large bodies came at once.")

    def give_back(self, count: int) -> None:
        """The other way round, once the request was answered."""
        self._left += count


async def bytes_of(request: Request, take: Callable[[int], None]) -> bytes:
    """The whole body, each piece of it taken. Raises `ApiFault` and `ClientDisconnect`."""
    body = bytearray()
    try:
        with fail_after(BODY_DEADLINE_S):
            async for chunk in request.stream():
                take(len(chunk))
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise ApiFault(413, f"A body may have {MAX_BODY_BYTES} bytes.")
    except TimeoutError:
        message = f"The body did not arrive within {BODY_DEADLINE_S:g} seconds."
        raise ApiFault(408, message) from None
    return bytes(body)


def decoded(body: bytes) -> JsonObject:
    """The JSON object that the bytes are. Raises `ApiFault`."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except RecursionError:
        raise ApiFault(400, "The JSON of the body is nested too deeply.") from None
    except ValueError as error:
        # The decoder's own message holds no part of the body, only where it went wrong.
        raise ApiFault(400, f"The body is not JSON: {_where(error)}.") from None
    if not isinstance(value, dict):
        raise ApiFault(400, "The body must be a JSON object.")
    return value


def strings_in(value: JsonValue) -> Iterator[str]:
    """Every text in a value, in order, keys too."""
    return _texts(value, lambda key: True, is_key_told=True)


def values_in(value: JsonValue, but: frozenset[str]) -> Iterator[str]:
    """The same without keys, and without what stands under a key of `but`."""
    return _texts(value, lambda key: key not in but, is_key_told=False)


def _texts(
    value: JsonValue, is_wanted: Callable[[str], bool], *, is_key_told: bool
) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            for key, inner in reversed(one.items()):
                if is_wanted(key):
                    waiting += (inner, key) if is_key_told else (inner,)


def _where(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "it is not UTF-8, or holds a number that is none"


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
