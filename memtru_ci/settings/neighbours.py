"""The keys that a service's mapping has at some place, to tell of one that is unknown."""

from collections.abc import Iterator, Mapping
from typing import Any

from memtru_ci.settings.text import Path


def neighbours(location: Path) -> list[str]:
    """The keys that are known beside the last one of a location in `service`."""
    from memtru_ci.services.mcp.mapping import McpService
    from memtru_ci.services.rest.mapping import RestService

    found: dict[str, None] = {}
    for model in (RestService, McpService):
        schema = model.model_json_schema()
        places = [schema]
        for key in location[1:-1]:
            places = [inner for one in places for inner in _inside(one, key, schema)]
        found |= {key: None for one in places for key in one.get("properties") or ()}
    return list(found)


def _inside(place: Mapping[str, Any], key: str | int, schema: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(key, int):
        inner = place.get("items")
    else:
        inner = (place.get("properties") or {}).get(key) or place.get("additionalProperties")
    if isinstance(inner, dict):
        yield from _plain(inner, schema)


def _plain(place: dict[str, Any], schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The place itself, behind references and unions."""
    if "$ref" in place:
        name = str(place["$ref"]).rpartition("/")[2]
        yield from _plain(schema["$defs"][name], schema)
    elif "anyOf" in place:
        for one in place["anyOf"]:
            yield from _plain(one, schema)
    else:
        yield place
