"""Fills a JSON Schema, or the shape of an example, with the user's statements."""

import json
from collections.abc import Iterable, Mapping, Sequence
from uuid import NAMESPACE_OID, uuid5

from pydantic import JsonValue

from memtru_ci.standin.body import MAX_BODY_BYTES, JsonObject
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.schemas import (
    DEEPEST,
    bound_of,
    branch_of,
    joined,
    kind_of,
    referred,
    schema_of,
)

MOST_CHARACTERS = MAX_BODY_BYTES
"""Of one filled answer: a small schema may ask for a text many times over."""

_ONLY_REQUIRED_BELOW = 8
_MOST_PARTS = 50
_COST_OF_A_VALUE = 16
_ADDING = ("add", "create", "insert", "new", "remember", "store", "save", "upsert", "put")
_SAID_BY_USER = frozenset({"role", "attributed_to", "speaker", "source_role"})
_CONTENT = frozenset(
    (
        "body",
        "content",
        "data",
        "detail",
        "details",
        "fact",
        "facts",
        "information",
        "items",
        "memories",
        "memory",
        "message",
        "messages",
        "note",
        "notes",
        "observation",
        "observations",
        "statement",
        "statements",
        "summary",
        "text",
        "value",
    )
)
_AN_INSTANT = {"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z"}


class Filling:
    """One answer in the making, and what it may still cost."""

    def __init__(self) -> None:
        self._root: JsonObject = {}
        self._left = MOST_CHARACTERS

    def fill(self, schema: JsonObject, statements: Sequence[str]) -> JsonValue:
        """A value that fits the schema.

        Raises `ApiFault` where it would be too large, together with earlier ones, or too deep.
        """
        self._root = schema
        return self._value(schema, list(statements), "", 0)

    def like(self, example: JsonValue, statements: Sequence[str]) -> JsonValue:
        """A value of the example's shape: its lists of texts or objects hold the statements."""
        return self.fill(schema_of(example), statements)

    def _value(self, given: JsonValue, statements: list[str], name: str, depth: int) -> JsonValue:
        """The value of one place in the answer; `name` is the property that it is."""
        schema = self._resolved(given, depth)
        self._pay(_COST_OF_A_VALUE)
        if "const" in schema:
            return self._given(schema["const"])
        if isinstance(choices := schema.get("enum"), list) and choices:
            return self._given(_sensible(choices))
        match kind_of(schema):
            case "object":
                return self._object(schema, statements, depth)
            case "array":
                return self._array(schema, statements, name, depth)
            case "number" | "integer":
                return _number(schema)
            case "boolean":
                return False
            case "null":
                return None
        return self._text(schema, statements, name)

    def _given(self, value: JsonValue) -> JsonValue:
        """A value that the schema itself holds, which may be large."""
        self._pay(len(json.dumps(value)))
        return value

    def _object(self, schema: JsonObject, statements: list[str], depth: int) -> JsonObject:
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            return {}
        return {
            key: self._value(properties[key], statements, key, depth + 1)
            for key in _filled(properties, schema.get("required"), depth)
        }

    def _array(
        self, schema: JsonObject, statements: list[str], name: str, depth: int
    ) -> list[JsonValue]:
        item = schema.get("items", {})
        resolved = self._resolved(item, depth + 1)
        least = bound_of(schema.get("minItems"), 0)
        each = [[one] for one in statements]
        if _is_id(name) or kind_of(resolved) not in ("object", "string"):
            each = []
        elif "enum" in resolved or "const" in resolved:
            each = [statements]
        each += [statements] * (least - len(each))
        filled: list[JsonValue] = []
        for index, one in enumerate(each[: bound_of(schema.get("maxItems"), len(each))]):
            value = self._value(item, one, name, depth + 1)
            if isinstance(value, dict) and value.get("id") == "0":
                value["id"] = str(index)
            filled.append(value)
        return filled

    def _text(self, schema: JsonObject, statements: list[str], name: str) -> str:
        said = "\n".join(statements)
        form = schema.get("format")
        if form == "uuid":
            return str(uuid5(NAMESPACE_OID, said))
        if isinstance(form, str) and form in _AN_INSTANT:
            return _AN_INSTANT[form]
        if _is_id(name):
            return "0"
        if name in _SAID_BY_USER:
            return "user"
        if isinstance(longest := schema.get("maxLength"), int):
            said = said[: max(0, longest)]
        self._pay(len(said))
        return said

    def _resolved(self, given: JsonValue, depth: int) -> JsonObject:
        """The schema itself, behind references and choices."""
        schema = given if isinstance(given, dict) else {}
        for _ in range(DEEPEST):
            if isinstance(reference := schema.get("$ref"), str):
                schema = referred(self._root, reference)
            elif isinstance(parts := schema.get("allOf"), list) and parts:
                schema = self._merged(schema, parts[:_MOST_PARTS])
            elif branch := branch_of(schema):
                schema = branch
            else:
                break
        if depth > DEEPEST:
            raise ApiFault(400, "The schema asks for an answer that is nested too deeply.")
        return schema

    def _merged(self, schema: JsonObject, parts: list[JsonValue]) -> JsonObject:
        merged: JsonObject = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts:
            found = part if isinstance(part, dict) else {}
            if isinstance(reference := found.get("$ref"), str):
                found = referred(self._root, reference)
            # What its parts are made of is left aside: they may hold each other.
            for key, value in found.items():
                if key != "allOf":
                    both = merged[key] = joined(merged.get(key), value)
                    size = len(both) if isinstance(both, list | dict) else 1
                    self._pay(_COST_OF_A_VALUE * size)
        return merged

    def _pay(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise ApiFault(400, "The schema asks for an answer that is too large.")


def _filled(properties: Mapping[str, JsonValue], required: JsonValue, depth: int) -> Iterable[str]:
    """The properties that are given a value: the required ones, and one at least for content."""
    needed = {one for one in required if isinstance(one, str)} if isinstance(required, list) else ()
    if depth > _ONLY_REQUIRED_BELOW:
        return [key for key in properties if key in needed]
    if not needed and not _CONTENT & properties.keys():
        return [key for key in properties if not _is_id(key)]
    return [key for key in properties if key in needed or key.lower() in _CONTENT]


def _is_id(name: str) -> bool:
    name = name.lower()
    return name in ("id", "ids", "uuid", "key") or name.endswith(("_id", "_ids", "_uuid"))


def _sensible(choices: list[JsonValue]) -> JsonValue:
    """The choice that adds something, where there is one, else the first."""
    words = {one.lower(): one for one in choices if isinstance(one, str)}
    return next((words[word] for word in _ADDING if word in words), choices[0])


def _number(schema: JsonObject) -> int | float:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float) and least > 1:
        return least
    if isinstance(most, int | float) and most < 1:
        return most
    return 1
