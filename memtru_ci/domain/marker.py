"""Markers: a topic key that may be asked for, and a secret that only stored content holds."""

import random
import re
import unicodedata
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

_SECRET_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_SECRET_LENGTH = 20
_LOWER = bytes(range(256)).lower()
_NO_LETTER_OR_DIGIT = bytes(code for code in range(128) if not chr(code).isalnum())
_NO_LETTER_OR_NUMBER = re.compile(r"[\W_]+")
"""What is in neither of the Unicode categories L and N."""
_TOPIC_WORDS = ("kestrel", "harbour", "lantern", "orchard", "granite", "meadow", "copper", "willow")


class Marker(BaseModel):
    """A synthetic fact: its topic key, its secret, and the content that carries both.

    Two markers may share a topic key, so that one query shows both.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: str = Field(description="The half that a query may use.")
    secret: str = Field(description="The half that only the stored content holds.")
    content: str = Field(description="What is written or said.")

    @property
    def query(self) -> str:
        """What an agent would ask to find it; holds the topic key and never the secret."""
        return f"access phrase locker {self.topic}"

    def shown_in(self, contents: Iterable[str]) -> bool:
        """Whether any of the contents holds the secret (HTTP contract, last section)."""
        return self.shown_in_folded(map(folded, contents))

    def shown_in_folded(self, contents: Iterable[str]) -> bool:
        """The same, of contents that are `folded` already."""
        secret = folded(self.secret)
        return any(secret in content for content in contents)


def folded(text: str) -> str:
    """NFKC and case folding, letters and numbers only: how contents are compared."""
    if text.isascii():
        # The same in a fraction of the time: a surface may show megabytes in every look.
        return text.encode("ascii").translate(_LOWER, _NO_LETTER_OR_DIGIT).decode("ascii")
    normal = unicodedata.normalize("NFKC", text).casefold()
    normal = unicodedata.normalize("NFKC", normal)
    return _NO_LETTER_OR_NUMBER.sub("", normal)


def mint_topic(source: random.Random) -> str:
    """A topic key that no other trial uses."""
    return f"{source.choice(_TOPIC_WORDS)}{source.randrange(10**8, 10**9)}"


def mint_marker(source: random.Random, topic: str, owner: str = "my") -> Marker:
    """A marker under a topic key, with a secret of its own (about 99 bits)."""
    secret = "".join(source.choice(_SECRET_ALPHABET) for _ in range(_SECRET_LENGTH))
    content = f"Please remember: {owner} access phrase for locker {topic} is {secret}."
    return Marker(topic=topic, secret=secret, content=content)
