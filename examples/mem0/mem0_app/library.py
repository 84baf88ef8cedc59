"""The library's calls that the application makes, with Qdrant in local files as its store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mem0 import Memory

DIMENSIONS = 1536


@dataclass(frozen=True)
class Kept:
    """A memory as the library returns it."""

    id: str
    text: str
    score: float | None = None


class Library:
    """One instance of the library; a namespace of the contract is a user of the library's.

    `infers` is the library's own option: whether a model extracts what is kept, or the text is kept
    as it is.
    """

    def __init__(self, data: Path, *, model_url: str, model_key: str, infers: bool) -> None:
        self._infers = infers
        self._memory = Memory.from_config(_config(data, model_url, model_key))

    def add(self, namespace: str, text: str) -> list[Kept]:
        """Let the library take in something that a user said; the memories that it made."""
        done = self._memory.add(
            [{"role": "user", "content": text}], user_id=namespace, infer=self._infers
        )
        return [_kept(one) for one in done["results"] if one.get("event", "ADD") == "ADD"]

    def has(self, memory_id: str) -> bool:
        """Whether there is such a memory."""
        return self._memory.get(memory_id) is not None

    def update(self, memory_id: str, text: str) -> None:
        """Give a memory another text. Raises ValueError where there is none."""
        self._memory.update(memory_id, text)

    def search(self, namespace: str, query: str, limit: int) -> list[Kept]:
        """The closest memories, best first."""
        found = self._memory.search(
            query, filters={"user_id": namespace}, top_k=limit, threshold=0.0
        )
        return [_kept(one) for one in found["results"]]

    def all_of(self, namespace: str, limit: int) -> list[Kept]:
        """The memories of a namespace."""
        found = self._memory.get_all(filters={"user_id": namespace}, top_k=limit)
        return [_kept(one) for one in found["results"]]

    def delete(self, memory_id: str) -> None:
        """Delete one memory. Raises ValueError where there is none."""
        self._memory.delete(memory_id)

    def delete_all(self, namespace: str) -> None:
        """Delete the memories of a namespace."""
        self._memory.delete_all(user_id=namespace)


def _kept(result: dict[str, Any]) -> Kept:
    return Kept(str(result["id"]), str(result["memory"]), result.get("score"))


def _config(data: Path, model_url: str, model_key: str) -> dict[str, Any]:
    endpoint = {"openai_base_url": model_url, "api_key": model_key}
    return {
        "llm": {"provider": "openai", "config": {"model": "gpt-4.1-mini", **endpoint}},
        "embedder": {
            "provider": "openai",
            "config": {
                "model": "text-embedding-3-small",
                "embedding_dims": DIMENSIONS,
                **endpoint,
            },
        },
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "collection_name": "memories",
                "embedding_model_dims": DIMENSIONS,
                "path": str(data / "qdrant"),
                "on_disk": True,
            },
        },
        "history_db_path": str(data / "history.db"),
    }
