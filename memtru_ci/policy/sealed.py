"""Sealed documents: content, a hash for each part of it, and one hash over everything."""

from collections.abc import Mapping

from memtru_ci.policy import canonical

HASHES = "hashes"
CONTENT_HASH = "content_hash"


def seal(document: Mapping[str, object]) -> dict[str, object]:
    """The document with its hashes. A list has one for each item, so that a change has a place."""
    hashed = {**document, HASHES: {name: _hashes(part) for name, part in document.items()}}
    return {**hashed, CONTENT_HASH: canonical.hash_of(hashed)}


def broken_seal(document: Mapping[str, object]) -> list[str]:
    """Which parts are not what was sealed; empty where the document is as it was made."""
    content = {name: part for name, part in document.items() if name not in (HASHES, CONTENT_HASH)}
    again = seal(content)
    if document.get(CONTENT_HASH) == again[CONTENT_HASH] and document.get(HASHES) == again[HASHES]:
        return []
    hashes = document.get(HASHES)
    found = _changed(hashes if isinstance(hashes, dict) else {}, content)
    return found or ["content_hash: not the hash of this content"]


def _changed(hashes: Mapping[str, object], content: Mapping[str, object]) -> list[str]:
    places = []
    for name in sorted({*hashes, *content}, key=str):
        stored, now = hashes.get(name), _hashes(content.get(name))
        if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
            changed = [at for at in range(len(now)) if stored[at] != now[at]]
            places += [f"{name}[{at}]" for at in changed]
        elif name not in content or stored != now:
            places.append(str(name))
    return [f"{place}: not what was sealed" for place in places]


def _hashes(part: object) -> object:
    if isinstance(part, list):
        return [canonical.hash_of(one) for one in part]
    return canonical.hash_of(part)
