"""Asks an OpenAI-compatible API for embeddings and for the facts in a message."""

from __future__ import annotations

import json
from typing import Any

import httpx

_FACTS = {
    "type": "json_schema",
    "json_schema": {
        "name": "facts",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
            "required": ["facts"],
            "additionalProperties": False,
        },
    },
}
_TASK = "List what is worth remembering in the user's message, each fact a sentence of its own."


class Model:
    """A client of the API; it never asks twice."""

    def __init__(self, base_url: str, key: str) -> None:
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=60,
        )

    def embedding_of(self, text: str) -> list[float]:
        """The text's vector. Raises httpx.HTTPError."""
        answer = self._ask("embeddings", {"model": "text-embedding-3-small", "input": text})
        return list(answer["data"][0]["embedding"])

    def facts_in(self, message: str) -> list[str]:
        """What is worth remembering in a message. Raises httpx.HTTPError."""
        answer = self._ask(
            "chat/completions",
            {
                "model": "gpt-4.1-mini",
                "messages": [
                    {"role": "system", "content": _TASK},
                    {"role": "user", "content": message},
                ],
                "response_format": _FACTS,
            },
        )
        return list(json.loads(answer["choices"][0]["message"]["content"])["facts"])

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.post(path, json=body)
        answer.raise_for_status()
        return dict(answer.json())
