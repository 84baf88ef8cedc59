"""Keeps memos in Redis: a hash each, and a set of the ids of every user."""

from __future__ import annotations

import json
from typing import Any

import redis

from memo.store import Memo

_REPLACE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'text', ARGV[1], 'vector', ARGV[2])
return 1
"""


def connected(url: str) -> redis.Redis:
    """A client with a pool, which opens its connections when they are needed."""
    return redis.Redis.from_url(url, decode_responses=True, socket_timeout=60)


class RedisStore:
    """Implements `Store`; every command goes over a connection of the client's pool."""

    def __init__(self, client: redis.Redis) -> None:
        self._client: Any = client

    def has(self, user: str, memo_id: str) -> bool:
        return bool(self._client.exists(_key(user, memo_id)))

    def put(self, user: str, memo: Memo) -> None:
        with self._client.pipeline() as both:
            both.hset(_key(user, memo.id), mapping=_fields(memo))
            both.sadd(_ids(user), memo.id)
            both.execute()

    def replace(self, user: str, memo: Memo) -> bool:
        values = _fields(memo).values()
        return bool(self._client.eval(_REPLACE, 1, _key(user, memo.id), *values))

    def remove(self, user: str, memo_id: str) -> bool:
        with self._client.pipeline() as both:
            both.delete(_key(user, memo_id))
            both.srem(_ids(user), memo_id)
            removed, _ = both.execute()
        return bool(removed)

    def all_of(self, user: str) -> list[Memo]:
        ids = sorted(self._client.smembers(_ids(user)))
        with self._client.pipeline() as every:
            for memo_id in ids:
                every.hgetall(_key(user, memo_id))
            found = every.execute()
        return [
            Memo(memo_id, one["text"], json.loads(one["vector"]))
            for memo_id, one in zip(ids, found, strict=True)
            if one
        ]


def _fields(memo: Memo) -> dict[str, str]:
    return {"text": memo.text, "vector": memo.packed_vector}


def _key(user: str, memo_id: str) -> str:
    return f"memo:{user}:{memo_id}"


def _ids(user: str) -> str:
    return f"memos:{user}"
