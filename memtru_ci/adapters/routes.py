"""Finds the call that a raw path and a method mean, without ever decoding a slash too early."""

from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from memtru_ci.contract import MAX_ID_LENGTH
from memtru_ci.contract.decode import ContractFault, excerpt
from memtru_ci.contract.operations import OPERATIONS, Operation


@dataclass(frozen=True)
class Route:
    """The operation of the method, if there is one, and all methods that the path knows."""

    operation: Operation | None
    key: str
    allowed: tuple[str, ...]


def find_route(method: str, raw_path: bytes) -> Route:
    """The route; `allowed` is empty where the path is unknown.

    Raises `ContractFault` where the variable part of a known path is no id.
    """
    segments = raw_path.decode("latin-1").split("/")
    matching = [one for one in OPERATIONS if _matches(one, segments)]
    operation = next((one for one in matching if one.method == method), None)
    key = _key(operation, segments) if operation else ""
    return Route(operation, key, tuple(one.method for one in matching))


def _matches(operation: Operation, segments: list[str]) -> bool:
    template = operation.path.split("/")
    return len(template) == len(segments) and all(
        segment if part.startswith("{") else part == segment
        for part, segment in zip(template, segments, strict=True)
    )


def _key(operation: Operation, segments: list[str]) -> str:
    if not operation.holds_id:
        return ""
    part, segment = next(
        pair for pair in zip(operation.path.split("/"), segments, strict=True) if "{" in pair[0]
    )
    try:
        key = unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        raise ContractFault(part[1:-1], excerpt(segment), "not UTF-8 after decoding") from None
    if len(key) > MAX_ID_LENGTH:
        raise ContractFault(part[1:-1], excerpt(key), f"longer than {MAX_ID_LENGTH} characters")
    return key
