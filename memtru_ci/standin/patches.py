"""Updates of known documents by JSON Patch, as LangMem's memory manager asks for them."""

import re
from collections.abc import Sequence

from pydantic import JsonValue

from memtru_ci.standin.asked import Asked, Tool
from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.existing import Existing, quoted_in, same_as

_PATCHING = frozenset({"json_doc_id", "patches"})
_INSTANCE = re.compile(
    r"<instance id=(\S{1,200}) schema_type=[^>\n]{0,200}>\n(.*?)(?:\n</instance>|\Z)", re.DOTALL
)
_FIELD = re.compile(r"\s*\{?\s*[\"']?(\w{1,100})[\"']?\s*[:=]\s*", re.ASCII)


def patches_of(
    asked: Asked, statements: Sequence[str]
) -> tuple[list[tuple[str, JsonObject]], list[str]]:
    """Calls that replace known documents, and the statements that are about none of them."""
    tool = next((one.name for one in asked.tools if is_patching(one)), None)
    if tool is None:
        return [], list(statements)
    shown = _INSTANCE.findall(asked.text)
    fields = {name: _field(body) for name, body in shown}
    known = [Existing(name, _said(body)) for name, body in shown]
    calls, left = [], []
    for statement in statements:
        old = same_as(statement, known)
        if old is None:
            left.append(statement)
        else:
            calls.append((tool, _patch(old.id, fields[old.id], statement)))
    return calls, left


def _patch(name: str, field: str, statement: str) -> JsonObject:
    patch: JsonValue = {"op": "replace", "path": f"/{field}", "value": statement}
    return {"json_doc_id": name, "planned_edits": "", "patches": [patch]}


def is_patching(tool: Tool) -> bool:
    """Whether the tool takes patches of a document."""
    properties = tool.schema.get("properties")
    return isinstance(properties, dict) and properties.keys() >= _PATCHING


def _field(body: str) -> str:
    """The name of the first field of a printed document."""
    found = _FIELD.match(body)
    return found[1] if found else "content"


def _said(body: str) -> str:
    """What the first field of a printed document holds."""
    found = _FIELD.match(body)
    rest = body[found.end() :] if found else body
    return next(iter(quoted_in(rest)), rest)
