"""The contract as a page for implementers, generated from its messages and operations."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from memtru_ci.contract import (
    MAX_BODY_BYTES,
    MAX_CONSISTENCY_WINDOW_MS,
    MAX_ID_LENGTH,
    MAX_VALUES,
    VERSION,
    prose,
)
from memtru_ci.contract.operations import CAPABILITIES, HEALTH, OPERATIONS, Operation
from memtru_ci.domain.receipt import HookReceipt


def render() -> str:
    """The whole page as Markdown."""
    required = _table((HEALTH, CAPABILITIES)) + "\n" + _filled(prose.CAPABILITIES)
    sections = [
        (f"# The HTTP contract, version {VERSION}", prose.INTRODUCTION),
        ("## Ground rules", _filled(prose.GROUND_RULES)),
        ("## Required of every service", required),
        ("## Memory", _calls("MEMORY_", "THREAD_", "NAMESPACE_") + "\n" + prose.MEMORY),
        ("## Receipts", prose.RECEIPTS),
        ("## Lifecycle", _calls("LIFECYCLE_") + "\n" + prose.LIFECYCLE),
        ("## Temporal policy", _calls("POLICY_") + "\n" + prose.POLICY),
        ("## The messages", "\n".join(_message(one) for one in _messages())),
        ("## When a capability is dropped", prose.DROPPING),
        ("## How the gate looks for a marker", prose.MARKERS),
    ]
    return "\n".join(f"{heading}\n\n{text}" for heading, text in sections)


def _filled(text: str) -> str:
    return text.format(
        version=VERSION,
        id_length=MAX_ID_LENGTH,
        values=MAX_VALUES,
        body_mib=MAX_BODY_BYTES // 1024**2,
        window=f"{MAX_CONSISTENCY_WINDOW_MS} ms",
    )


def _calls(*prefixes: str) -> str:
    return _table(
        tuple(one for one in OPERATIONS if one.capability and one.capability.startswith(prefixes))
    )


def _table(operations: tuple[Operation, ...]) -> str:
    head = (
        "| Capability | Call | Takes | Answers | What it does |\n| --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(_row(one) + "\n" for one in operations)


def _row(operation: Operation) -> str:
    capability = f"`{operation.capability}`" if operation.capability else "required"
    query = operation.query.model_fields if operation.query else ()
    call = operation.endpoint + ("?" + "&".join(f"{one}=" for one in query) if query else "")
    takes = _link(operation.request) if operation.request else "-"
    statuses = " or ".join(f"`{one}`" for one in operation.success)
    answers = f"{statuses} {_link(operation.answer) if operation.answer else ''}".strip()
    if operation.missing:
        answers += f"; {' or '.join(f'`{one}`' for one in operation.missing)} when there is none"
    return f"| {capability} | `{call}` | {takes} | {answers} | {operation.summary} |"


def _link(model: type[BaseModel]) -> str:
    name = model.__name__
    return f"[{name}](#{name.lower()})" if model is not HookReceipt else "[receipt](#receipts)"


def _messages() -> list[type[BaseModel]]:
    seen: dict[str, type[BaseModel]] = {}
    for operation in OPERATIONS:
        for model in (operation.request, operation.query, operation.answer):
            if model is not None:
                seen.setdefault(model.__name__, model)
    for model in tuple(seen.values()):
        for part in _parts(model):
            seen.setdefault(part.__name__, part)
    return [seen[name] for name in sorted(seen)]


def _parts(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The messages that a message holds, and those that they hold."""
    for field in model.model_fields.values():
        for part in _models_in(field.annotation):
            yield part
            yield from _parts(part)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _message(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    about = (model.__doc__ or "").strip().splitlines()[0]
    rows = "".join(
        f"| `{name}` | {_type(facts, schema)} | {_presence(schema, name)} | {_meaning(facts)} |\n"
        for name, facts in schema.get("properties", {}).items()
    )
    table = f"\n| Field | Type | | Meaning |\n| --- | --- | --- | --- |\n{rows}" if rows else ""
    return f"### {model.__name__}\n\n{about}\n{table}"


def _presence(schema: dict[str, Any], name: str) -> str:
    return "required" if name in schema.get("required", ()) else "optional"


def _meaning(facts: dict[str, Any]) -> str:
    return str(facts.get("description", ""))


def _type(facts: dict[str, Any], schema: dict[str, Any]) -> str:
    choices = facts.get("anyOf")
    if choices is not None:
        return " or ".join(_type(one, schema) for one in choices)
    if "$ref" in facts:
        return _named(facts["$ref"].rsplit("/", 1)[-1], schema)
    if facts.get("type") == "array":
        return f"list of {_type(facts['items'], schema)}"
    return str(facts.get("type", "any"))


def _named(name: str, schema: dict[str, Any]) -> str:
    """A link to another message, or the values that are allowed."""
    values = schema["$defs"][name].get("enum")
    return " or ".join(f"`{one}`" for one in values) if values else f"[{name}](#{name.lower()})"
