"""What a model is shown and what form of answer it is asked for, whatever the endpoint."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.faults import ApiFault

Choice = Literal["auto", "none", "required"]


@dataclass(frozen=True)
class Turn:
    """One message: who says it, and its text."""

    role: str
    text: str


@dataclass(frozen=True)
class Tool:
    """A function that the model may call."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True)
class Asked:
    """One question to the model."""

    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    choice: Choice = "auto"
    """Whether a tool is called; `tools` holds only the one that was named, where one was."""
    is_one_call: bool = False
    """Whether only one tool may be called in an answer."""
    schema: JsonObject | None = None
    """The JSON Schema that the answer must fit."""
    wants_json: bool = False
    """Whether the answer must be some JSON object."""
    text: str = field(default="", compare=False)
    """Everything that is shown, as one text."""

    @property
    def is_after_a_tool(self) -> bool:
        """Whether the last thing shown is the result of a tool."""
        return bool(self.turns) and self.turns[-1].role == "tool"


def asked_of_chat(body: JsonObject) -> Asked:
    """The question in a chat completion's body. Raises `ApiFault`."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ApiFault(400, "'messages' must be a list with at least one message.", "messages")
    turns = tuple(_turn(one, f"messages[{index}]") for index, one in enumerate(messages))
    form = _object(body.get("response_format"))
    schema = _object(form.get("json_schema")).get("schema")
    return _asked(body, turns, form, schema)


def asked_of_responses(body: JsonObject) -> Asked:
    """The question in a response's body. Raises `ApiFault`."""
    given = body.get("input")
    turns: list[Turn] = []
    if isinstance(instructions := body.get("instructions"), str):
        turns.append(Turn("system", instructions))
    if isinstance(given, str):
        turns.append(Turn("user", given))
    elif isinstance(given, list) and given:
        turns += (_item(one, f"input[{index}]") for index, one in enumerate(given))
    else:
        raise ApiFault(400, "'input' must be a text or a list with at least one item.", "input")
    form = _object(_object(body.get("text")).get("format"))
    return _asked(body, tuple(turns), form, form.get("schema"))


def _asked(
    body: JsonObject, turns: tuple[Turn, ...], form: Mapping[str, JsonValue], schema: JsonValue
) -> Asked:
    tools, choice = _chosen(_tools(body), body.get("tool_choice"))
    kind = form.get("type")
    return Asked(
        turns,
        tools,
        choice,
        is_one_call=body.get("parallel_tool_calls") is False,
        schema=schema if kind == "json_schema" and isinstance(schema, dict) else None,
        wants_json=kind in ("json_object", "json_schema"),
        text="\n".join(one.text for one in turns),
    )


def _turn(message: JsonValue, param: str) -> Turn:
    if not isinstance(message, dict) or not isinstance(role := message.get("role"), str):
        raise ApiFault(400, "A message is an object with a 'role'.", param)
    return Turn("tool" if role == "function" else role, _text(message.get("content")))


def _item(item: JsonValue, param: str) -> Turn:
    if not isinstance(item, dict):
        raise ApiFault(400, "An item of the input is an object.", param)
    kind = item.get("type", "message")
    if kind == "function_call_output":
        return Turn("tool", _text(item.get("output")))
    if kind == "message":
        return _turn(item, param)
    return Turn("assistant", "")


def _text(content: JsonValue) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _tools(body: JsonObject) -> list[Tool]:
    given = body.get("tools")
    if given is None:
        return []
    if not isinstance(given, list):
        raise ApiFault(400, "'tools' must be a list.", "tools")
    tools = []
    for index, one in enumerate(given):
        # A chat names its function one level deeper than a response does.
        tool = _object(one)
        function = _object(tool.get("function")) or tool
        if tool.get("type") != "function":
            continue
        if not isinstance(name := function.get("name"), str):
            raise ApiFault(400, "A function has a 'name'.", f"tools[{index}]")
        said = function.get("description")
        description = said if isinstance(said, str) else ""
        tools.append(Tool(name, description, _object(function.get("parameters"))))
    return tools


def _chosen(tools: list[Tool], choice: JsonValue) -> tuple[tuple[Tool, ...], Choice]:
    if isinstance(choice, dict):
        function = _object(choice.get("function")) or choice
        named = tuple(one for one in tools if one.name == function.get("name"))
        if choice.get("type") == "function" and not named:
            raise ApiFault(400, "'tool_choice' names a function that is not there.", "tool_choice")
        tools = list(named) or tools
        return tuple(tools), "required" if tools else "none"
    if choice in ("required", "any") and tools:
        return tuple(tools), "required"
    return tuple(tools), "none" if choice == "none" or not tools else "auto"


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}
