"""Which endpoint a method and a path mean, and what a model is shown by a request to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memtru_ci.standin.body import JsonObject, values_in
from memtru_ci.standin.faults import ApiFault

Kind = Literal["chat", "responses", "embeddings", "models", "model"]

_POSTED: dict[str, Kind] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/embeddings": "embeddings",
}
_SHOWN: dict[Kind, tuple[str, ...]] = {
    "chat": ("messages",),
    "responses": ("instructions", "input"),
}
_NO_TEXT = frozenset({"role", "type", "id", "call_id", "tool_call_id", "status"})


@dataclass(frozen=True)
class Endpoint:
    """What is asked of the stand-in; `name` is the model's, where the path holds one."""

    kind: Kind
    name: str = ""


def endpoint_of(method: str, path: str) -> Endpoint:
    """The endpoint, with or without `/v1` in front. Raises `ApiFault` (404, 405)."""
    place = path.removeprefix("/v1").rstrip("/")
    if kind := _POSTED.get(place):
        _allow(method, "POST")
        return Endpoint(kind)
    if place == "/models" or place.startswith("/models/"):
        _allow(method, "GET")
        name = place.removeprefix("/models").strip("/")
        return Endpoint("model", name) if name else Endpoint("models")
    raise ApiFault(404, "The stand-in has no such path.")


def prompts_of(kind: Kind, body: JsonObject) -> Iterator[str]:
    """The texts that a model is shown: messages, input and instructions, calls of tools too."""
    for key in _SHOWN.get(kind, ()):
        yield from values_in(body.get(key), but=_NO_TEXT)


def _allow(method: str, allowed: str) -> None:
    if method != allowed:
        raise ApiFault(405, f"Use {allowed}.")
