"""A mapping that cannot work is refused where it is read, with the key that is wrong."""

from typing import Any

import pytest
from pydantic import ValidationError

from memtru_ci.errors import UsageError
from memtru_ci.services.rest.mapping import RestService, resolved
from memtru_ci.services.rest.presets import FOLDER, names, preset
from tests.unit.rest_app import OPERATIONS, mapping_of


def _refused(operations: dict[str, Any] | None = None, **keys: Any) -> str:
    with pytest.raises(UsageError) as caught:
        resolved(mapping_of(operations, **keys))
    return str(caught.value)


@pytest.mark.parametrize("name", names())
def test_a_preset_is_a_whole_mapping(name: str) -> None:
    mapping = resolved(RestService(kind="rest", preset=name))
    assert {"write", "update", "search", "list", "delete"} <= set(mapping.operations)
    assert mapping.version is not None
    assert mapping.health is not None


def test_the_presets_are_those_that_are_shipped() -> None:
    assert names() == ["chroma", "mcp-memory-service", "mem0"]
    assert all((FOLDER / f"{name}.yaml").read_text().startswith("# ") for name in names())


def test_keys_are_laid_over_a_preset_deeply() -> None:
    service = RestService.model_validate(
        {
            "kind": "rest",
            "preset": "mem0",
            "name": "our mem0",
            "operations": {"write": {"body": {"infer": True, "agent_id": "a"}}, "update": None},
        }
    )
    mapping = resolved(service)
    write = mapping.operations["write"]
    assert write.body == {
        "messages": "{messages}",
        "user_id": "{namespace}",
        "infer": True,
        "agent_id": "a",
    }
    assert write.path == "/memories"
    assert write.id == "results[0].id"
    assert mapping.name == "our mem0"
    assert "update" not in mapping.operations
    assert "update" in preset("mem0")["operations"]


def test_an_unknown_preset_is_named_with_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"no preset 'mem-0'.*Did you mean .mem0."):
        resolved(RestService(kind="rest", preset="mem-0"))


def test_all_that_is_missing_is_named_by_its_key() -> None:
    with pytest.raises(UsageError) as caught:
        resolved(RestService.model_validate({"kind": "rest", "operations": {"write": {}}}))
    assert "`service.name`: it is missing" in str(caught.value)
    assert "`service.operations.write.method`: it is missing" in str(caught.value)
    assert "`service.operations.write.path`: it is missing" in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "why"),
    [("a[", "not JMESPath"), ("", "at least 1"), ("a" * 501, "at most 500"), ("((((", "JMESPath")],
)
def test_an_expression_that_is_none_is_refused_at_its_key(expression: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why) as caught:
        mapping_of({"write": {"id": expression}})
    assert caught.value.errors()[0]["loc"][:4] == ("operations", "write", "id")


@pytest.mark.parametrize(
    "operation",
    [
        {"path": "/a?b=1"},
        {"path": "/a#b"},
        {"path": "a"},
        {"path": "/a b"},
        {"path": "//\n"},
        {"method": "TRACE"},
        {"query": {"a": {"b": 1}}},
        {"query": {"a": [None]}},
        {"headers": {"X-Key": "a\nb"}},
        {"headers": {"X Key": "a"}},
        {"status": [99]},
        {"limit": 0},
        {"own_id": "yes"},
        {"unknown": 1},
        {"id": "a", "own_id": True},
        {"results": "a", "columns": {"a": "b"}},
        {"next": {"page": 1, "offset": 0}},
        {"next": {}},
        {"next": {"page": 2}},
        {"task": {"path": "/t"}},
        {"task": {"path": "/t", "done": "d", "interval_ms": 0}},
        {"resolve": {"by": "get", "id": "id"}},
    ],
)
def test_a_key_of_the_wrong_form_is_refused(operation: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RestService.model_validate({"kind": "rest", "operations": {"write": operation}})


@pytest.mark.parametrize(
    ("operations", "keys", "told"),
    [
        ({"write": {"id": None}}, {}, "`service.operations.write.id`: it is missing"),
        ({"search": {"results": None}}, {}, "`service.operations.search.results`: it is missing"),
        ({"search": {"content": None}}, {}, "`service.operations.search.content`: it is missing"),
        ({"list": {"result_id": None}}, {}, "`service.operations.list.result_id`: it is missing"),
        ({"write": {"results": "a"}}, {}, "`service.operations.write.results`: this operation"),
        ({"delete": {"next": {"page": 1}}}, {}, "`service.operations.delete.next`: this operation"),
        ({"delete": {"path": "/x"}}, {}, "`service.operations.delete`: {id} is in none"),
        ({"update": {"body": {}}}, {}, "`service.operations.update`: {content} or {messages}"),
        ({"search": {"query": {}}}, {}, "`service.operations.search`: {query} or {query_vector}"),
        ({"delete": {"path": "/{content}/{id}"}}, {}, "there is no {content} here"),
        ({"write": {"path": "/{namespce}"}}, {}, 'Did you mean "namespace"'),
        ({"update": {"path": "/{id}/{thread_id}"}}, {}, "there is no {thread_id} here"),
        ({"list": {"path": "/{cursor}"}}, {}, "there is no {cursor} here"),
        ({"write": {"path": "/{"}}, {}, "`service.operations.write.path`: a single {"),
        ({"write": {"body": {"a": "{content"}}}, {}, "`service.operations.write.body`: a single {"),
        ({"write": {"body": {"m": "say {messages}"}}}, {}, "{messages} is a list"),
        ({"search": {"query": {"q": "{query_vector}"}}}, {}, "{query_vector} is a list"),
        (
            {"search": {"body": "{query_vector}"}},
            {},
            "`service.vector_dimensions`: it is missing",
        ),
        (
            {"write": {"id": None, "own_id": True}},
            {},
            "`service.operations.write.own_id`: {new_id}",
        ),
        ({"list": {"next": {"page": 1}}}, {}, "`service.operations.list.next.page`: {page} is in"),
        (
            {"list": {"next": {"cursor": "c"}}},
            {},
            "`service.operations.list.next.cursor`: {cursor} is in none",
        ),
        (
            {"list": None, "delete": {"resolve": {"by": "list", "id": "id"}}},
            {},
            "`service.operations.list` is not mapped",
        ),
        ({"write": {"path": "/notes"}}, {}, "`service.isolation`: it is missing"),
        ({"write": {"headers": {"Host": "x"}}}, {}, "write.headers.Host`: the gate sets this"),
        ({}, {"headers": {"content-length": "1"}}, "headers.content-length`: the gate sets"),
        ({}, {"headers": {"X-A": "{id}"}}, "`service.headers.X-A`: there is no {id} here"),
        ({}, {"variables": {"content": "x"}}, "is the name of a placeholder already"),
        ({}, {"variables": {"token": "x"}}, "is the name of a placeholder already"),
        (
            {"write": {"body": {"text": "{content}", "t": "{token}"}}},
            {},
            "there is no {token} here",
        ),
        (
            {"delete": {"task": {"path": "/t/{task_id}", "done": "d"}}},
            {},
            "delete.task.path`: there is no {task_id} here",
        ),
        ({}, {"prepare": [{"method": "POST", "path": "/{id}"}]}, "`service.prepare.0.path`"),
        ({}, {"health": "/{variable}"}, "`service.health`: there is no {variable} here"),
        ({}, {"version": {"path": "/{id}", "value": "v"}}, "`service.version.path`: there is no"),
    ],
)
def test_a_mapping_that_cannot_work_names_the_key(
    operations: dict[str, Any], keys: dict[str, Any], told: str
) -> None:
    assert told in _refused(operations, **keys)


def test_a_mapping_without_operations_tests_nothing() -> None:
    with pytest.raises(UsageError, match="no operation is mapped"):
        resolved(mapping_of(dict.fromkeys(OPERATIONS)))


@pytest.mark.parametrize("name", ["search", "list", "model_prompt"])
def test_a_surface_has_no_name_that_the_gate_uses(name: str) -> None:
    surface = {"method": "GET", "path": "/x", "results": "r", "content": "c"}
    assert f"`service.surfaces.{name}`" in _refused(surfaces={name: surface})


def test_isolation_is_the_users_word_where_no_namespace_is_sent() -> None:
    mapping = resolved(mapping_of({"write": {"path": "/notes"}}, isolation="one user at a time"))
    assert mapping.isolation == "one user at a time"


def test_a_prepared_namespace_is_isolation_enough() -> None:
    prepare = [{"method": "PUT", "path": "/spaces/{namespace}", "variables": {"space": "id"}}]
    mapping = resolved(mapping_of({"write": {"path": "/{space}/notes"}}, prepare=prepare))
    assert mapping.isolation is None


@pytest.mark.parametrize(
    "expression",
    [
        "|".join(["[@,@]"] * 60),
        "|".join(["[@,@,@,@][]"] * 20),
        "|".join(["join('',[@,@])"] * 25),
        "|".join(["{a:@,b:@}"] * 30),
        "map(&[@,@],map(&[@,@],map(&[@,@],map(&[@,@],map(&[@,@],map(&[@,@],map(&[@,@],@)))))))",
    ],
)
def test_an_expression_that_multiplies_an_answer_is_refused(expression: str) -> None:
    with pytest.raises(ValidationError, match="repeats parts of an answer more than 100 times"):
        mapping_of({"search": OPERATIONS["search"] | {"results": expression}})


def test_an_expression_that_joins_some_fields_of_each_result_is_taken() -> None:
    joined = "results[?kind=='memory' && !deleted].{id: id, text: join(' ', [title, text, note])}"

    assert mapping_of({"search": OPERATIONS["search"] | {"results": joined}})
