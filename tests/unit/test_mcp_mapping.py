"""A mapping of MCP tools is whole before anything is called, or names the key that is wrong."""

from typing import Any

import pytest
from pydantic import ValidationError

from memtru_ci.errors import UsageError
from memtru_ci.services.dialect import StdioDialect
from memtru_ci.services.mcp.dialect import dialect_of
from memtru_ci.services.mcp.mapping import McpService, resolved
from memtru_ci.services.mcp.presets import names
from tests.mcp_peers import NOTES

WRITE = NOTES["operations"]["write"]
SEARCH = NOTES["operations"]["search"]
LIST = NOTES["operations"]["list"]


def service(**keys: Any) -> McpService:
    return McpService.model_validate({"kind": "mcp", **keys})


def with_operation(name: str, *without: str, **keys: Any) -> McpService:
    operation = {**NOTES["operations"][name], **keys}
    for key in without:
        del operation[key]
    return service(operations={name: operation})


@pytest.mark.parametrize("preset", names())
def test_every_preset_is_whole(preset: str) -> None:
    mapping = resolved(service(preset=preset))
    assert {"write", "update", "search", "list", "delete"} <= mapping.operations.keys()


def test_the_presets_are_those_that_are_documented() -> None:
    assert names() == ["basic-memory", "server-memory"]


def test_keys_are_laid_over_a_preset_deeply_and_null_takes_an_operation_away() -> None:
    given = {"search": {"limit": 5}, "list": None}
    mapping = resolved(service(preset="server-memory", operations=given))
    assert mapping.operations["search"].limit == 5
    assert mapping.operations["search"].tool == "search_nodes"
    assert "list" not in mapping.operations


def test_the_transport_chooses_the_dialect() -> None:
    assert isinstance(dialect_of(service(preset="server-memory")), StdioDialect)
    over_http = service(preset="server-memory", transport="http")
    assert not isinstance(dialect_of(over_http), StdioDialect)


WRONG: dict[str, tuple[McpService, str]] = {
    "an unknown preset": (service(preset="server-memry"), "service.preset"),
    "no operation": (service(), "service.operations"),
    "an operation without a tool": (
        with_operation("write", "tool"),
        "service.operations.write.tool",
    ),
    "a write without an id": (with_operation("write", "id"), "service.operations.write.id"),
    "a write that sends no content": (
        with_operation("write", arguments={"scope": "{namespace}"}),
        "service.operations.write.arguments",
    ),
    "a write that names no namespace": (
        with_operation("write", arguments={"text": "{content}"}),
        "service.isolation",
    ),
    "an id of one's own that is not sent": (
        with_operation("write", "id", own_id="{namespace}-{new_id}"),
        "service.operations.write.own_id",
    ),
    "a placeholder that is not there": (
        with_operation("write", arguments={"text": "{contents}"}),
        "service.operations.write.arguments",
    ),
    "a brace that is no placeholder": (
        with_operation("write", arguments={"text": "{content} }"}),
        "service.operations.write.arguments",
    ),
    "a list inside of a text": (
        with_operation("write", arguments={"text": "{messages}!"}),
        "service.operations.write.arguments",
    ),
    "a search without contents": (
        with_operation("search", "content"),
        "service.operations.search.content",
    ),
    "a search that asks nothing": (
        with_operation("search", arguments={}),
        "service.operations.search.arguments",
    ),
    "a read that names no result": (
        with_operation("list", read={"tool": "read_note", "content": "text"}),
        "service.operations.list.read.arguments",
    ),
    "a read without contents": (
        with_operation("list", read={"tool": "read_note", "arguments": {"n": "{result_id}"}}),
        "service.operations.list.read.content",
    ),
    "pages that are not asked for": (
        with_operation("list", arguments={"scope": "{namespace}"}),
        "service.operations.list.next.page",
    ),
    "a key that an operation has no use for": (
        with_operation("delete", results="notes"),
        "service.operations.delete.results",
    ),
    "a variable with the name of a placeholder": (
        service(operations={"write": WRITE}, variables={"content": "x"}),
        "service.variables",
    ),
    "a surface of the gate's own name": (
        service(operations={"write": WRITE}, surfaces={"search": SEARCH}),
        "service.surfaces.search",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_mapping_that_is_wrong_names_its_key(what: str) -> None:
    given, key = WRONG[what]
    with pytest.raises(UsageError) as caught:
        resolved(given)
    assert f"`{key}`" in caught.value.message


MALFORMED: dict[str, dict[str, Any]] = {
    "an unknown key": {"operations": {"write": {"tol": "x"}}},
    "an unknown operation": {"operations": {"forget": {"tool": "x"}}},
    "an expression that is none": {"operations": {"write": {"id": "a..b"}}},
    "a transport that is none": {"transport": "sse"},
    "a path without a slash": {"path": "mcp"},
    "two kinds of ids": {"operations": {"write": {"id": "a", "own_id": "b"}}},
    "a tool with a space": {"operations": {"write": {"tool": "a b"}}},
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_mapping_is_refused_as_settings(what: str) -> None:
    with pytest.raises(ValidationError):
        service(**MALFORMED[what])


def test_an_unknown_preset_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as caught:
        resolved(service(preset="server-memry"))
    assert "server-memory" in caught.value.hint
