"""What the reference service understands of language: words, and which messages state something."""

import re
import unicodedata

_LEAD_IN = re.compile(
    r"^(?:please[,\s]+)?(?:remember|note|keep in mind)(?:\s+that\b|\s*:|\s*,)?\s+", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def words(text: str) -> frozenset[str]:
    """The words of a text, without case and compatibility differences."""
    return frozenset(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def relevance(wanted: frozenset[str], content: str) -> float:
    """The share of the wanted words that the content has: 0 to 1; 1 where nothing is wanted."""
    return len(wanted & words(content)) / len(wanted) if wanted else 1.0


def stated(message: str) -> str | None:
    """What a message says that is worth remembering, or `None`: questions state nothing.

    Deterministic, in place of a model: the sentences that do not ask, without "please remember".
    """
    sentences = _SENTENCE_END.split(message.strip())
    statements = [one for one in sentences if one and not one.endswith("?")]
    said = _LEAD_IN.sub("", " ".join(statements)).strip()
    return said or None
