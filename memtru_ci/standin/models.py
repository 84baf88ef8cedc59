"""`GET /models`: any model that is asked for exists, and the list names a few."""

from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.rendering import CREATED, MODEL

LISTED = (MODEL, "gpt-4o-mini", "text-embedding-3-small")
_LONGEST_NAME = 200


def models() -> JsonObject:
    """The list."""
    return {"object": "list", "data": [model(one) for one in LISTED]}


def model(name: str) -> JsonObject:
    """One model."""
    return {
        "id": name[:_LONGEST_NAME],
        "object": "model",
        "created": CREATED,
        "owned_by": "memtru",
    }
