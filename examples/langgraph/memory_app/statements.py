"""Finds what a user asked to remember, by rules in place of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage

_REQUEST = re.compile(
    r"^\s*(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that)?\s*[:,]?\s+", re.IGNORECASE
)


class Statement(NamedTuple):
    """Something worth a memory, and where it was said."""

    thread_id: str
    message_id: str
    text: str


def statement_in(text: str) -> str | None:
    """The fact that a message states, without the request to remember it; None for a question."""
    if not text.strip() or text.rstrip().endswith("?"):
        return None
    return _REQUEST.sub("", text, count=1).strip() or None


def statements_in(thread_id: str, messages: Iterable[BaseMessage]) -> Iterator[Statement]:
    """What the user stated in one thread; what the assistant said is no source of memories."""
    for message in messages:
        if not isinstance(message, HumanMessage) or message.id is None:
            continue
        fact = statement_in(str(message.content))
        if fact is not None:
            yield Statement(thread_id, message.id, fact)
