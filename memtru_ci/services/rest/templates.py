"""Templates of requests: placeholders are filled with values, never with syntax."""

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Literal
from urllib.parse import quote

from pydantic import JsonValue

_TOKEN = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")

Values = Mapping[str, JsonValue]
"""What placeholders stand for; null where there is no such thing in this request."""


class Absent(Enum):
    """The mark of a text that is left out, because a placeholder in it stands for nothing."""

    ABSENT = "absent"


ABSENT: Literal[Absent.ABSENT] = Absent.ABSENT


class BadTemplate(ValueError):
    """A template is malformed, or cannot be filled with what there is."""


def names_in(template: JsonValue) -> frozenset[str]:
    """The placeholders of a template. Raises `BadTemplate` for a brace that is none."""
    return frozenset(name for text in _texts(template) for name, _ in _parts(text) if name)


def whole_names_in(template: JsonValue) -> frozenset[str]:
    """The placeholders that are a text of their own, so that their JSON type is kept."""
    return frozenset(name for text in _texts(template) if (name := _only_name(text)))


def embedded_names_in(template: JsonValue) -> frozenset[str]:
    """The placeholders that stand inside a longer text."""
    embedded = (text for text in _texts(template) if _only_name(text) is None)
    return frozenset(name for text in embedded for name, _ in _parts(text) if name)


def rendered(template: JsonValue, values: Values) -> JsonValue | Absent:
    """The template filled in; keys and items that stand for nothing are left out.

    Raises `BadTemplate`.
    """
    if isinstance(template, str):
        return _rendered_text(template, values)
    if isinstance(template, dict):
        pairs = ((key, rendered(value, values)) for key, value in template.items())
        return {key: value for key, value in pairs if value is not ABSENT}
    if isinstance(template, list):
        items = (rendered(value, values) for value in template)
        return [value for value in items if value is not ABSENT]
    return template


def rendered_path(template: str, values: Values) -> str:
    """A path; every value stays inside of its segment. Raises `BadTemplate`."""
    return "/".join(_segment(segment, values) for segment in template.split("/"))


def text_of(value: JsonValue) -> str:
    """A scalar as text. Raises `BadTemplate` for anything else."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (list, dict)):
        raise BadTemplate("a list or an object cannot stand inside of a text")
    return json.dumps(value)


def _rendered_text(template: str, values: Values) -> JsonValue | Absent:
    only = _only_name(template)
    if only is not None:
        value = _value(only, values)
        return ABSENT if value is None else value
    found = [text if name is None else _value(name, values) for name, text in _parts(template)]
    if any(value is None for value in found):
        return ABSENT
    return "".join(map(text_of, found))


def _segment(template: str, values: Values) -> str:
    parts = list(_parts(template))
    if all(name is None for name, _ in parts):
        return template
    filled = [text if name is None else _in_path(name, values) for name, text in parts]
    segment = "".join(filled)
    # Segments of dots would be resolved away, and the request would reach another endpoint.
    return segment.replace(".", "%2E") if not segment.strip(".") else segment


def _in_path(name: str, values: Values) -> str:
    text = text_of(_value(name, values))
    if not text:
        raise BadTemplate(f"{{{name}}} is empty, and the path would be another one")
    return quote(text, safe="")


def _value(name: str, values: Values) -> JsonValue:
    if name not in values:
        raise BadTemplate(f"there is no {{{name}}} here")
    return values[name]


def _only_name(text: str) -> str | None:
    match = _TOKEN.fullmatch(text)
    return match.group(1) if match else None


def _parts(text: str) -> Iterator[tuple[str | None, str]]:
    """Names with an empty text, and texts without a name, in order."""
    at = 0
    for match in _TOKEN.finditer(text):
        if match.start() > at:
            yield None, text[at : match.start()]
        at = match.end()
        token, name = match.group(0), match.group(1)
        if name is None and len(token) == 1:
            raise BadTemplate(f"a single {token} is no placeholder; write {token * 2} for itself")
        yield (name, "") if name else (None, token[0])
    if at < len(text):
        yield None, text[at:]


def _texts(template: JsonValue) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, dict):
        for value in template.values():
            yield from _texts(value)
    elif isinstance(template, list):
        for value in template:
            yield from _texts(value)
