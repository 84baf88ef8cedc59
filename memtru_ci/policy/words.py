"""Words of a text: Unicode letters, digits, marks and low lines, case-folded (rule 11)."""

import re
import unicodedata
from functools import lru_cache

_ASCII_WORD = re.compile(r"[a-z0-9_]+")


def words(text: str) -> list[str]:
    """The words of a text, in order; composed and decomposed letters are the same."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(one if is_of_word(one) else " " for one in composed)
    return [unicodedata.normalize("NFC", one.casefold()) for one in spaced.split()]


@lru_cache(maxsize=4096)
def is_of_word(character: str) -> bool:
    """Whether a character continues a word; marks do, so that Hindi words stay whole."""
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
