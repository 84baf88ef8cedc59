"""What is known of the prompts of memory systems: how each is told, and how it is answered."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.standin.asked import Asked
from memtru_ci.standin.existing import Existing, existing_in, same_as
from memtru_ci.standin.statements import distinct, statements_in, statements_of

Rule = Callable[[Asked], str]

_NEW_MESSAGES = re.compile(r"^## New Messages[ \t]*$(.*?)(?=^## |^# |\Z)", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"```(?:json)?\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class KnownPrompt:
    """A prompt that shows all of these texts; the first that fits is taken."""

    name: str
    signs: tuple[str, ...]
    answer: Rule


def rule_for(asked: Asked) -> Rule | None:
    """How the question is answered if its prompt is known."""
    fitting = (one for one in KNOWN_PROMPTS if all(sign in asked.text for sign in one.signs))
    found = next(fitting, None)
    return found.answer if found else None


def _new_memories(asked: Asked) -> str:
    """Only the messages that are new: earlier ones and known memories are shown beside them."""
    sections = _NEW_MESSAGES.findall(_last_said(asked))
    said = statements_in(sections[-1].strip()) if sections else []
    memories: list[JsonValue] = [
        {"id": str(index), "text": text, "attributed_to": "user"} for index, text in enumerate(said)
    ]
    return json.dumps({"memory": memories})


def _changed_memories(asked: Asked) -> str:
    """New facts are added; one that says more than a known memory takes its place."""
    blocks = _LISTED.findall(_last_said(asked))
    facts = _facts(blocks[-1]) if blocks else []
    known = existing_in(blocks[-2]) if len(blocks) > 1 else []
    return json.dumps({"memory": _changes(facts, known)})


def _changes(facts: Sequence[str], known: Sequence[Existing]) -> list[JsonValue]:
    changes: list[JsonValue] = []
    free = max((int(one.id) for one in known if one.id.isdecimal()), default=-1) + 1
    for fact in facts:
        old = same_as(fact, known)
        if old is None:
            changes.append({"id": str(free), "text": fact, "event": "ADD"})
            free += 1
        elif old.text == fact:
            changes.append({"id": old.id, "text": fact, "event": "NONE"})
        else:
            changes.append({"id": old.id, "text": fact, "event": "UPDATE", "old_memory": old.text})
    return changes


def _facts(block: str) -> list[str]:
    """The texts in a printed list, whichever quotes it has."""
    return distinct(one.text for one in existing_in(block)) or distinct([block])


def _facts_said(asked: Asked) -> str:
    return json.dumps({"facts": statements_of(asked.turns)})


def _procedure(asked: Asked) -> str:
    """The last message only tells the model to begin."""
    said = [one.text for one in asked.turns[:-1] if one.role == "user"]
    return "\n".join(distinct(said))


def _last_said(asked: Asked) -> str:
    return next((one.text for one in reversed(asked.turns) if one.role == "user"), "")


KNOWN_PROMPTS: tuple[KnownPrompt, ...] = (
    KnownPrompt("mem0: additive extraction", ("## New Messages", '"memory"'), _new_memories),
    KnownPrompt(
        "mem0: update of memories", ('"memory"', '"event"', "retrieved facts"), _changed_memories
    ),
    KnownPrompt("mem0: extraction of facts", ('"facts"',), _facts_said),
    KnownPrompt("mem0: procedural memory", ("Create procedural memory",), _procedure),
)
