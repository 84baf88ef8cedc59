"""Reads the memories that a prompt lists, and finds the one that a statement is about."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\w+")
_LONGEST_LIST = 500_000
_TEXT_KEYS = frozenset({"text", "content", "memory", "data"})
# The end of the text ends a quotation too, so that hostile ones cost no second look.
_STRING = r"""(["'])((?:(?!\{0})[^\\]|\\(?:.|\Z))*+)(?:\{0}|\Z)"""
_QUOTED = re.compile(_STRING.format(1), re.DOTALL)
_KEYED = re.compile(rf"""(["'])(\w{{1,40}})\1\s*:\s*{_STRING.format(3)}""", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)


@dataclass(frozen=True)
class Existing:
    """A memory as a prompt shows it."""

    id: str
    text: str


def existing_in(block: str) -> list[Existing]:
    """The memories in a printed list, as JSON or as Python prints it; none if it is no list."""
    text = block.strip()[:_LONGEST_LIST]
    return list(_read(text)) if text.startswith("[") else []


def same_as(statement: str, known: Iterable[Existing]) -> Existing | None:
    """The memory that has all the words of the statement, or all of whose words it has.

    Likeness would not do: two owners' phrases for one locker differ in a word or two.
    """
    words = _words(statement)
    for one in known:
        others = _words(one.text)
        if words and others and (words <= others or others <= words):
            return one
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def quoted_in(text: str) -> Iterator[str]:
    """The texts in quotes, as Python or JSON print them, without their escapes."""
    for found in _QUOTED.finditer(text[:_LONGEST_LIST]):
        yield _ESCAPE.sub(_meant, found[2])


def _read(text: str) -> Iterator[Existing]:
    """Items of a list: texts, or objects whose first text under a known key counts."""
    name, is_object = "", False
    for part in _KEYED.finditer(text):
        key, value, is_object = part[2], _ESCAPE.sub(_meant, part[4]), True
        if key == "id":
            name = value
        elif key in _TEXT_KEYS:
            yield Existing(name, value)
    if not is_object:
        yield from (Existing("", one) for one in quoted_in(text))


def _meant(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "ux" and len(code) > 1:
        return chr(int(code[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r"}.get(code, code)
