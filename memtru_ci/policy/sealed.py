"""Sealed documents: a format, a content, and the hash over both."""

from collections.abc import Mapping

from memtru_ci.policy import canonical
from memtru_ci.policy.differences import differences

HASH = "content_hash"


def seal(document: Mapping[str, object]) -> dict[str, object]:
    """The document with the hash of everything else in it."""
    return {**document, HASH: canonical.hash_of(document)}


def broken_seal(document: Mapping[str, object]) -> list[str]:
    """What is wrong with the hash; empty where it is the one of the content."""
    content = {key: held for key, held in document.items() if key != HASH}
    return differences(document.get(HASH), canonical.hash_of(content), HASH)
