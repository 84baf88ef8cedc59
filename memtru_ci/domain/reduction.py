"""Keeps of a large answer what a verdict can be made from again: the results with a marker."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import TypeGuard

from pydantic import JsonValue

from memtru_ci.domain.marker import folded

WHOLE_BYTES = 8 * 1024
"""An answer up to this size is kept as it came."""

MARGIN = 200
"""Characters kept on each side of a secret."""

RESULTS_PER_SECRET = 5
"""The most results kept for one secret; one proves the sighting, and is all without a limit."""

IDS_KEPT = 100
"""Ids kept of a policy answer; no question of the suite expects as many."""

_REPLACEMENT = "\ufffd"
_SURROGATES = re.compile("[\ud800-\udfff]")


def reduce_answer(
    answer: JsonValue, secrets: Sequence[str], limit: int = WHOLE_BYTES
) -> tuple[JsonValue, bool]:
    """The answer as it is kept, and whether that is only a part of it.

    Up to `limit` bytes of JSON it is kept whole. Of a larger one with `results` stay the first
    results whose content shows a secret, clipped around it, and `omitted_results` counts the rest;
    of one with `ids` the first of these, and of any other the beginning, as text. Whatever is kept
    can be written as UTF-8 JSON.
    """
    answer = _writable(answer)
    text = json.dumps(answer, ensure_ascii=False)
    if len(text.encode()) <= limit:
        return answer, False
    kept: dict[str, JsonValue] = {}
    # A service may add fields of its own, so that neither may stand in the other's way.
    if isinstance(answer, dict) and isinstance(results := answer.get("results"), list):
        each = RESULTS_PER_SECRET if limit else 1
        kept |= _reduced(answer, results, [folded(secret) for secret in secrets], each)
    if isinstance(answer, dict) and isinstance(ids := answer.get("ids"), list):
        kept |= _ids_only(ids)
    if kept:
        return kept, True
    excerpt = answer if isinstance(answer, str) else text
    return excerpt.encode()[:limit].decode(errors="ignore"), True


def _reduced(
    answer: dict[str, JsonValue], results: Sequence[JsonValue], secrets: Sequence[str], each: int
) -> dict[str, JsonValue]:
    kept = _telling(results, dict.fromkeys((secret for secret in secrets if secret), each))
    reduced: dict[str, JsonValue] = {"results": kept, "omitted_results": len(results) - len(kept)}
    cursor = answer.get("next_cursor")
    if cursor is None or isinstance(cursor, str):
        reduced["next_cursor"] = cursor and cursor[:MARGIN]
    return reduced


def _ids_only(ids: Sequence[JsonValue]) -> dict[str, JsonValue]:
    kept: list[JsonValue] = [one[:512] for one in ids[:IDS_KEPT] if isinstance(one, str)]
    return {"ids": kept, "omitted_ids": len(ids) - len(kept)}


def _telling(results: Iterable[JsonValue], left: dict[str, int]) -> list[JsonValue]:
    """The results that show a secret, of each secret as many as are left to it."""
    kept: list[JsonValue] = []
    for result in results:
        wanted = [secret for secret, count in left.items() if count]
        if not wanted:
            break
        if not _has_content(result):
            continue
        clips = _clips(result["content"], wanted)
        if clips:
            kept.append(_short(result, " … ".join(dict.fromkeys(clips.values()))))
            left.update({secret: left[secret] - 1 for secret in clips})
    return kept


def _has_content(result: JsonValue) -> TypeGuard[dict[str, str]]:
    return isinstance(result, dict) and isinstance(result.get("content"), str)


def _short(result: dict[str, str], content: str) -> JsonValue:
    found = result.get("id")
    return (
        {"id": found[:512], "content": content} if isinstance(found, str) else {"content": content}
    )


def _clips(content: str, secrets: Iterable[str]) -> dict[str, str]:
    """The part of `content` around each secret that it shows.

    A secret that is written in another way (spaced out, in other letter forms) is kept folded.
    """
    plain = folded(content)
    shown = (secret for secret in secrets if secret in plain)
    return {secret: _around(content if secret in content else plain, secret) for secret in shown}


def _around(text: str, secret: str) -> str:
    at = text.find(secret)
    return text[max(0, at - MARGIN) : at + len(secret) + MARGIN]


def _writable(value: JsonValue) -> JsonValue:
    """The value without lone surrogates and infinities, which UTF-8 JSON cannot hold."""
    if isinstance(value, str):
        return _writable_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_writable(one) for one in value]
    if isinstance(value, dict):
        return {_writable_text(key): _writable(one) for key, one in value.items()}
    return value


def _writable_text(text: str) -> str:
    # A symbol takes the place: it is no letter, so what the text shows stays the same.
    return text if text.isascii() else _SURROGATES.sub(_REPLACEMENT, text)
