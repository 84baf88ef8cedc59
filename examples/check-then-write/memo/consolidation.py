"""Makes memos of what users said: the job that runs at night."""

from __future__ import annotations

from memo.memos import Memos
from memo.parts import Parts


def consolidate(parts: Parts) -> int:
    """Read the history and keep the facts in it that are not kept yet; how many memos were made.

    The broken variant reads all of the history each time, so that a memo which was deleted is
    made again. The fixed one makes memos of a message once.
    """
    if parts.model is None:
        raise ValueError("a consolidation needs OPENAI_BASE_URL")
    memos = Memos(parts)
    made = 0
    for message in parts.history.all():
        if message.was_read and parts.settings.fixed:
            continue
        kept = {one.text for one in memos.all_of(message.user)}
        for fact in parts.model.facts_in(message.text):
            if fact not in kept:
                memos.add(message.user, fact)
                made += 1
        parts.history.mark_read(message)
    return made
