"""Markers: a topic key that may be asked for, and a secret that only stored content holds."""

import random
import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

_SECRET_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_SECRET_LENGTH = 20
_LOWER = bytes(range(256)).lower()
_NO_LETTER_OR_DIGIT = bytes(code for code in range(128) if not chr(code).isalnum())
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
    return _clusters().sub(_normal, text).translate(_FOLDED)


class _Folded(dict[int, str]):
    """What each character folds to by itself, found out when it first comes.

    Normalized as a whole, megabytes of signs that stand for phrases would grow to gigabytes.
    """

    def __missing__(self, code: int) -> str:
        normal = _form(chr(code))
        kept = "".join(char for char in normal if unicodedata.category(char)[0] in "LN")
        self[code] = kept[:_LONGEST_PHRASE]
        return self[code]


_FOLDED = _Folded()
_LONGEST_PHRASE = 8
"""Letters kept of a sign that stands for a phrase; none of such a sign is of a secret's letters."""
_MOST_MARKS = 30
"""On one character, as in Unicode's stream-safe text; longer runs take ages to be put in order."""


@cache
def _clusters() -> re.Pattern[str]:
    """A character with its combining marks: nothing else changes its neighbour's letter."""
    chars = map(chr, range(0x300, 0x20000))
    marks = [one for one in chars if unicodedata.combining(unicodedata.normalize("NFKD", one)[0])]
    return re.compile(f"(?s).[{''.join(marks)}]+")


def _normal(cluster: re.Match[str]) -> str:
    return _form(cluster[0][: 1 + _MOST_MARKS])


def _form(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", normal)


def mint_topic(source: random.Random) -> str:
    """A topic key that no other trial uses."""
    return f"{source.choice(_TOPIC_WORDS)}{source.randrange(10**8, 10**9)}"


def mint_marker(source: random.Random, topic: str, owner: str = "my") -> Marker:
    """A marker under a topic key, with a secret of its own (about 99 bits)."""
    secret = "".join(source.choice(_SECRET_ALPHABET) for _ in range(_SECRET_LENGTH))
    content = f"Please remember: {owner} access phrase for locker {topic} is {secret}."
    return Marker(topic=topic, secret=secret, content=content)
