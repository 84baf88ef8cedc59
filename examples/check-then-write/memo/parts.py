"""Puts the service together from its settings."""

from __future__ import annotations

from dataclasses import dataclass

from memo.history import History
from memo.model import Model
from memo.queue import Queue
from memo.redis_store import RedisStore, connected
from memo.settings import Settings
from memo.sqlite_store import SqliteStore
from memo.store import Store


@dataclass(frozen=True)
class Parts:
    """What every process of the service is made of; `queue` and `model` are there where set."""

    settings: Settings
    store: Store
    history: History
    queue: Queue | None
    model: Model | None


def made_from(settings: Settings) -> Parts:
    """The parts; opens the files and the pool of connections."""
    settings.data.mkdir(parents=True, exist_ok=True)
    file = settings.data / "memo.sqlite"
    redis = connected(settings.redis_url) if settings.redis_url else None
    if settings.queues and redis is None:
        raise ValueError("QUEUE needs REDIS_URL")
    return Parts(
        settings,
        store=RedisStore(redis) if redis is not None else SqliteStore(file),
        history=History(settings.data / "history.sqlite"),
        queue=Queue(redis) if redis is not None and settings.queues else None,
        model=Model(settings.model_url, settings.model_key) if settings.model_url else None,
    )
