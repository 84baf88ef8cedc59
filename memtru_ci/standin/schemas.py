"""Reads JSON Schemas as they come: references, choices and kinds, of any quality."""

from pydantic import JsonValue

from memtru_ci.standin.body import JsonObject
from memtru_ci.standin.faults import ApiFault

DEEPEST = 40
"""How deep an answer may be nested."""


def kind_of(schema: JsonObject) -> str:
    """The type that a value of the schema has, the first where it may have several."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def branch_of(schema: JsonObject) -> JsonObject | None:
    """The first branch of a choice that is not null."""
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        objects = (
            [one for one in branches if isinstance(one, dict)] if isinstance(branches, list) else []
        )
        if objects:
            return next((one for one in objects if one.get("type") != "null"), objects[0])
    return None


def joined(before: JsonValue, value: JsonValue) -> JsonValue:
    """Both values of one keyword where two schemas hold at once; the later one of plain values."""
    if isinstance(before, dict) and isinstance(value, dict):
        return {**before, **value}
    if isinstance(before, list) and isinstance(value, list):
        return [*before, *value]
    return value


def referred(root: JsonObject, reference: str) -> JsonObject:
    """What a reference inside the schema points at. Raises `ApiFault`."""
    if reference == "#":
        return root
    place: JsonValue = root if reference.startswith("#/") else None
    for part in reference.removeprefix("#/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        place = place.get(key) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        raise ApiFault(400, "The schema holds a reference that leads nowhere.")
    return place


def bound_of(value: JsonValue, otherwise: int) -> int:
    """A count of items that a schema gives."""
    return value if isinstance(value, int) and 0 <= value <= 10_000 else otherwise


def schema_of(example: JsonValue, depth: int = 0) -> JsonObject:
    """A schema that the example fits."""
    if depth > DEEPEST:
        return {}
    if isinstance(example, dict):
        properties: JsonObject = {
            key: schema_of(value, depth + 1) for key, value in example.items()
        }
        return {"type": "object", "properties": properties, "required": list(example)}
    if isinstance(example, list):
        item: JsonObject = {"type": "string"}
        if example:
            item = schema_of(example[0], depth + 1)
        return {"type": "array", "items": item}
    if isinstance(example, bool):
        return {"type": "boolean"}
    if isinstance(example, int | float):
        return {"type": "number"}
    return {"type": "string"} if isinstance(example, str) else {"type": "null"}
