"""Reads YAML as plain values and line numbers: bounded, no aliases, no key twice."""

from dataclasses import dataclass
from typing import Any

import yaml

LARGEST_FILE = 256 * 1024
_DEEPEST = 20

Path = tuple[str | int, ...]


class BadText(Exception):
    """The text is not YAML that is taken here; `line` counts from 1."""

    def __init__(self, line: int, detail: str) -> None:
        super().__init__(detail)
        self.line = line
        self.detail = detail


@dataclass(frozen=True)
class Document:
    """The values of a document, and the line of every key and list item."""

    values: Any
    lines: dict[Path, int]


def read(text: str) -> Document:
    """Parse a document; raises `BadText`."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document({}, {})
        lines: dict[Path, int] = {}
        _walk(node, (), lines)
        return Document(loader.construct_document(node), lines)
    except yaml.YAMLError as error:
        raise _bad(error) from None
    except (ValueError, RecursionError) as error:
        raise BadText(1, f"a value cannot be read ({error})") from None
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        try:
            super().__init__(text)
        except yaml.YAMLError as error:
            raise _bad(error) from None

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            line = _peeked(self).start_mark.line + 1
            raise BadText(line, "aliases (*name) are not taken here; write the value out")
        return super().compose_node(parent, index)


def _peeked(loader: Any) -> Any:
    return loader.peek_event()


def _walk(node: yaml.Node, path: Path, lines: dict[Path, int]) -> None:
    lines[path] = node.start_mark.line + 1
    if len(path) > _DEEPEST:
        raise BadText(lines[path], f"it is nested deeper than {_DEEPEST} levels")
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            _walk(item, (*path, number), lines)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _walk_pair(key, value, path, lines)


def _walk_pair(key: yaml.Node, value: yaml.Node, path: Path, lines: dict[Path, int]) -> None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode):
        raise BadText(line, "a key is not a plain text")
    inner = (*path, str(key.value))
    if inner in lines:
        raise BadText(line, f"`{key.value}` is there twice, first on line {lines[inner]}")
    _walk(value, inner, lines)
    lines[inner] = line


def _bad(error: yaml.YAMLError) -> BadText:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return BadText(mark.line + 1 if mark else 1, f"this is not YAML: {problem}")
