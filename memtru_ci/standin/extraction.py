"""Answers as a model would that repeats what the user said, in the form that is asked for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.standin.asked import Asked, Tool
from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.examples import last_example
from memtru_ci.standin.known_prompts import rule_for
from memtru_ci.standin.patches import is_patching, patches_of
from memtru_ci.standin.shapes import Filling
from memtru_ci.standin.statements import statements_of

_WRITING = ("memor", "remember", "store", "save", "note", "observation", "fact", "knowledge")
_NOT_WRITING = ("search", "get_", "list", "read", "find", "query", "delete", "remove", "recall")
_OTHERWISE = "statements"
"""The key of a JSON answer where the prompt shows no shape."""


@dataclass(frozen=True)
class Call:
    """A tool that the model calls."""

    name: str
    arguments: str
    """As JSON."""


@dataclass(frozen=True)
class Reply:
    """The model's answer: a text, or calls of tools."""

    text: str = ""
    calls: tuple[Call, ...] = ()


def reply_to(asked: Asked) -> Reply:
    """The answer; the same question always has the same one. Raises `ApiFault`."""
    if calls := _calls(asked):
        return Reply(calls=calls)
    statements = statements_of(asked.turns)
    if asked.schema is not None:
        return Reply(_json(Filling().fill(asked.schema, statements)))
    if rule := rule_for(asked):
        return Reply(rule(asked))
    if asked.wants_json:
        return Reply(_json(_shaped(asked, statements)))
    return Reply("\n".join(statements))


def _shaped(asked: Asked, statements: Sequence[str]) -> JsonValue:
    """In the shape of the last example that the instructions show, or else the user's prompt."""
    instructions = [one.text for one in asked.turns if one.role in ("system", "developer")]
    for text in ("\n".join(instructions), asked.text):
        if (example := last_example(text)) is not None:
            return Filling().like(example, statements)
    return {_OTHERWISE: list(statements)}


def _calls(asked: Asked) -> tuple[Call, ...]:
    if asked.choice == "none":
        return ()
    if asked.choice == "required":
        return _required(asked)
    # After its result an agent would call the same tool for ever.
    writing = next((one for one in asked.tools if _writes(one)), None)
    if writing is None or asked.is_after_a_tool:
        return ()
    return _fed(writing, statements_of(asked.turns), asked.is_one_call)


def _required(asked: Asked) -> tuple[Call, ...]:
    tools, statements = asked.tools, statements_of(asked.turns)
    if asked.is_after_a_tool and (ending := next(filter(_takes_nothing, tools), None)):
        return (Call(ending.name, "{}"),)
    patches, left = patches_of(asked, statements)
    calls = tuple(Call(name, _json(arguments)) for name, arguments in patches)
    if left or not calls:
        others = [one for one in tools if not is_patching(one)] or list(tools)
        chosen = next((one for one in others if _writes(one)), others[0])
        calls += _fed(chosen, left, asked.is_one_call)
    return calls[:1] if asked.is_one_call else calls


def _fed(tool: Tool, statements: Sequence[str], is_one_call: bool) -> tuple[Call, ...]:
    """One call with all statements where it takes a list or must be alone, else one for each."""
    filling = Filling()
    if is_one_call or _takes_many(tool) or not statements:
        return (Call(tool.name, _json(filling.fill(tool.schema, statements))),)
    return tuple(Call(tool.name, _json(filling.fill(tool.schema, [one]))) for one in statements)


def _writes(tool: Tool) -> bool:
    name = tool.name.lower()
    return any(word in name for word in _WRITING) and not any(word in name for word in _NOT_WRITING)


def _takes_nothing(tool: Tool) -> bool:
    return not _properties(tool)


def _takes_many(tool: Tool) -> bool:
    return any(
        isinstance(one, dict) and one.get("type") == "array" for one in _properties(tool).values()
    )


def _properties(tool: Tool) -> JsonObject:
    properties = tool.schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _json(value: JsonValue) -> str:
    return json.dumps(value)
