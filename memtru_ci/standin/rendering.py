"""What chats and responses have in common when they are written."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.standin.body import JsonObject

MODEL = "memtru-stand-in"
CREATED = 1_767_225_600
"""The creation time in every answer, in seconds: the same question has the same answer."""

_MOST_PIECES = 8
_SHORTEST_PIECE = 8


@dataclass(frozen=True)
class Ticket:
    """What an answer's ids are made of: unique in a run, since clients merge what has one id."""

    body_hash: str
    number: int

    def name(self, kind: str, index: int = 0) -> str:
        """An id, for example of a call."""
        return f"{kind}{self.body_hash[:16]}{self.number:06d}{index:02d}"


def model_of(body: JsonObject) -> str:
    """The model that was asked for; any name will do."""
    model = body.get("model")
    return model if isinstance(model, str) and model else MODEL


def tokens_in(text: str) -> int:
    """About how many tokens a text has."""
    return (len(text) + 3) // 4


def pieces_of(text: str) -> Iterator[str]:
    """The text in a few pieces, as a stream brings it."""
    size = max(_SHORTEST_PIECE, -(-len(text) // _MOST_PIECES))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def event(data: JsonValue, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()
