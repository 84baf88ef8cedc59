"""Markers: a topic key that may be asked for, and a secret that only stored content holds."""

import random
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import groupby

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
    bounded = _long_runs().sub(lambda run: run[0][:_MOST_MARKS], text)
    bounded = bounded.replace(_PHRASE, _PHRASE_SHORT)
    normal = unicodedata.normalize("NFKC", bounded).casefold()
    normal = unicodedata.normalize("NFKC", normal)
    return _NO_LETTER_OR_NUMBER.sub("", normal)


_NO_LETTER_OR_NUMBER = re.compile(r"[\W_]+")
"""What is in neither of the Unicode categories L and N."""
_MOST_MARKS = 30
"""On one character, as in Unicode's stream-safe text; longer runs take ages to be put in order."""
_PHRASE = "\ufdfa"
_PHRASE_SHORT = unicodedata.normalize("NFKC", _PHRASE)[:4]
"""The one sign that stands for many letters, none of them a secret's: 18, and megabytes of it
would grow to gigabytes.
"""


@cache
def _long_runs() -> re.Pattern[str]:
    """Combining marks, more than may stand on one character."""
    chars = map(chr, range(0x300, 0x20000))
    marks = [one for one in chars if unicodedata.combining(unicodedata.normalize("NFKD", one)[0])]
    runs = groupby(enumerate(map(ord, marks)), lambda one: one[1] - one[0])
    spans = [[code for _, code in run] for _, run in runs]
    ranges = "".join(f"{chr(span[0])}-{chr(span[-1])}" for span in spans)
    # Looked at first, one wide range spares most characters the search among many.
    return re.compile(f"(?=[\u0300-\U0001ffff])[{ranges}]{{{_MOST_MARKS + 1},}}")


def mint_topic(source: random.Random) -> str:
    """A topic key that no other trial uses."""
    return f"{source.choice(_TOPIC_WORDS)}{source.randrange(10**8, 10**9)}"


def mint_marker(source: random.Random, topic: str, owner: str = "my") -> Marker:
    """A marker under a topic key, with a secret of its own (about 99 bits)."""
    secret = "".join(source.choice(_SECRET_ALPHABET) for _ in range(_SECRET_LENGTH))
    content = f"Please remember: {owner} access phrase for locker {topic} is {secret}."
    return Marker(topic=topic, secret=secret, content=content)
