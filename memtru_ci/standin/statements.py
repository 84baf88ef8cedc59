"""Finds what the user said in what a model is shown, however the prompt wraps it."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from memtru_ci.standin.asked import Turn

MOST_STATEMENTS = 100
_MOST_WRAPPINGS = 8

_USER = frozenset({"user", "human", "input"})
_LABEL = re.compile(
    r"[ \t]*+(?:[-*][ \t]+)?(?:\[[^\]\n]{0,60}\][ \t]*)?\**"
    r"(user|human|input|assistant|ai|bot|agent|system|tool|function|output)\**[ \t]*:[ \t]*(.*)",
    re.IGNORECASE,
)
_BANNER = re.compile(r"={2,80}[ ](\w{1,20}) Message[ ]={2,80}")
_WRAPPED = re.compile(
    r"</((?:session|conversation|messages|transcript|chat|dialogue)\w*(?:-\w+)*)>"
)


def statements_of(turns: Sequence[Turn]) -> list[str]:
    """What the user said last, or all that the user says in a transcript that it holds."""
    said = [one.text for one in turns if one.role == "user" and one.text.strip()]
    return statements_in(said[-1]) if said else []


def statements_in(text: str) -> list[str]:
    """The user's statements in a text: of its transcript if it has one, else the text itself."""
    inner = _unwrapped(text)
    found = _of_messages(inner) or list(_of_banners(inner)) or _of_labels(inner)
    return distinct(found or [inner])


def distinct(texts: Iterable[str]) -> list[str]:
    """The texts without white space around them, each once, none empty."""
    return list(dict.fromkeys(text for one in texts if (text := one.strip())))[:MOST_STATEMENTS]


def _unwrapped(text: str) -> str:
    """What stands between the last pair of tags that mark a conversation."""
    for closing in reversed(list(_WRAPPED.finditer(text))[-_MOST_WRAPPINGS:]):
        start = text.rfind(f"<{closing[1]}>", 0, closing.start())
        if start >= 0:
            return text[start + len(closing[1]) + 2 : closing.start()]
    return text


def _of_messages(text: str) -> list[str]:
    """The user's contents where the text is a JSON list of messages."""
    try:
        messages = json.loads(text) if text.lstrip().startswith("[") else []
    except (ValueError, RecursionError):
        return []
    return [
        one["content"]
        for one in messages
        if isinstance(one, dict)
        and one.get("role") == "user"
        and isinstance(one.get("content"), str)
    ]


def _of_banners(text: str) -> Iterator[str]:
    """The user's messages between lines such as `=== Human Message ===`."""
    parts = _BANNER.split(text)
    for who, said in zip(parts[1::2], parts[2::2], strict=True):
        if who.lower() in _USER:
            yield said


def _of_labels(text: str) -> list[str]:
    """The user's lines of a transcript; a statement goes on up to an empty line or a label."""
    turns: list[tuple[str, list[str]]] = []
    is_open = False
    for line in text.splitlines():
        if label := _LABEL.fullmatch(line):
            turns.append((label[1].lower(), [label[2]]))
            is_open = True
        elif not line.strip():
            is_open = is_open and bool(turns) and turns[-1][1] == [""]
        elif is_open:
            turns[-1][1].append(line)
    # What precedes the last `Input:` are examples of the prompt.
    inputs = [index for index, (who, _) in enumerate(turns) if who == "input"]
    turns = turns[inputs[-1] :] if inputs else turns
    return [said for who, lines in turns if who in _USER and (said := "\n".join(lines).strip())]
