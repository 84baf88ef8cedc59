"""The service's settings, from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Settings:
    """What the service is made of, and which variant of it this is."""

    data: Path
    port: int
    fixed: bool
    """Whether a write looks again, in one step with writing, if its memo is still there."""
    redis_url: str | None
    """The store; a SQLite file in `data` without it."""
    queues: bool
    """Whether updates are only queued, for a worker to apply."""
    reads_body_itself: bool
    """Whether the update's endpoint checks the memo before it has read the body."""
    model_url: str | None
    """An OpenAI-compatible API, for embeddings and facts; without it, words are compared."""
    model_key: str


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Read the variables; raises ValueError for what cannot be read."""
    return Settings(
        data=Path(environment.get("DATA_DIR", "data")),
        port=int(environment.get("PORT", "8080")),
        fixed=_boolean(environment, "FIXED"),
        redis_url=environment.get("REDIS_URL"),
        queues=_boolean(environment, "QUEUE"),
        reads_body_itself=_boolean(environment, "READS_BODY_ITSELF"),
        model_url=environment.get("OPENAI_BASE_URL"),
        model_key=environment.get("OPENAI_API_KEY", ""),
    )


def _boolean(environment: Mapping[str, str], name: str) -> bool:
    value = environment.get(name, "false")
    if value not in _BOOLEANS:
        raise ValueError(f"{name}: true or false is required, not {value!r}")
    return _BOOLEANS[value]
