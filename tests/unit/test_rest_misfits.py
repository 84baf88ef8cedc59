"""Where a mapping does not fit, the error names operation, request, answer and key."""

from typing import Any

import pytest

from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import ContractViolation, NoAnswer, ProviderError, ServiceError, TargetLost
from memtru_ci.services.rest.dialect import RestDialect
from memtru_ci.services.rest.mapping import resolved
from memtru_ci.services.rest.service import RestMemoryService
from tests.unit.raw_service import KeptExchanges
from tests.unit.rest_app import RestApp, mapping_of, spoken_to

pytestmark = pytest.mark.anyio


async def _call(service: RestMemoryService, operation: str) -> None:
    calls: dict[str, Any] = {
        "write": lambda: service.write("ns", "x"),
        "update": lambda: service.update("ns", "n1", "x"),
        "search": lambda: service.search("ns", "q"),
        "list": lambda: service.list("ns"),
        "delete": lambda: service.delete("ns", "n1"),
        "consolidate": lambda: service.consolidate("ns"),
        "info": service.info,
    }
    await calls[operation]()


async def _misfit(
    operation: str, answer: tuple[int, Any], changed: dict[str, Any] | None = None, **keys: Any
) -> ContractViolation:
    log = KeptExchanges()
    mapping = mapping_of({operation: changed} if changed else None, **keys)
    with pytest.raises(ContractViolation) as caught:
        await _call(spoken_to(RestApp(answer), mapping, log), operation)
    assert log.kept[-1].outcome is Outcome.CONTRACT_VIOLATION
    assert log.kept[-1].error == caught.value.detail
    assert caught.value.steps == (log.kept[-1].step,)
    return caught.value


HITS = {"hits": [{"id": "a", "text": "one"}, {"id": "b"}, {"id": "c", "text": "three"}]}
TASK = {"id": "t", "path": "/{task_id}", "done": "d"}
COUNTED = {"method": "POST", "path": "/c", "processed": "n"}
MADE = {"method": "POST", "path": "/c", "created": "n"}


@pytest.mark.parametrize(
    ("operation", "answer", "changed", "key", "told"),
    [
        ("write", (404, {"detail": "Not Found"}), {}, "write.path", '404: {"detail":"Not Found"}'),
        ("write", (405, {}), {}, "write.method", "405"),
        ("write", (501, b""), {}, "write.path", "501"),
        ("write", (307, b""), {}, "write.path", "redirect"),
        ("search", (404, {}), {}, "search.path", "may be another endpoint"),
        ("write", (201, {"id": "x"}), {}, "write.id", 'no id at `note.id` of {"id":"x"}'),
        ("write", (201, {"note": {"id": ""}}), {}, "write.id", '"", which is no id'),
        ("write", (201, {"note": {"id": True}}), {}, "write.id", "true, which is no id"),
        ("write", (201, {"note": {"id": 1.5}}), {}, "write.id", "1.5, which is no id"),
        ("write", (201, {"note": {"id": ["x"]}}), {}, "write.id", '["x"], which is no id'),
        ("write", (201, {"note": {"id": "x" * 513}}), {}, "write.id", "which is no id"),
        ("write", (201, b"<html>"), {}, "write.path", "no JSON"),
        ("write", (201, b""), {}, "write.id", "no id at `note.id` of null"),
        ("write", (201, b'{"note":1,"note":2}'), {}, "write.path", "twice"),
        ("write", (202, {}), {"status": [201]}, "write.status", "not among the mapped statuses"),
        ("update", (200, {}), {"id": "id"}, "update.id", "no id"),
        ("search", (200, {"found": []}), {}, "search.results", "no list of results at `hits`"),
        ("search", (200, {"hits": {"a": 1}}), {}, "search.results", "no list of results"),
        ("search", (200, HITS), {}, "search.content", "result 2 of 3 has no text at `text`"),
        ("search", (200, {"hits": [{"id": "a", "text": 3}]}), {}, "search.content", "no text"),
        ("search", (200, {"hits": [{"id": "a", "text": [3]}]}), {}, "search.content", "no text"),
        ("search", (200, {"hits": [{"id": "a", "text": [None]}]}), {}, "search.content", "no text"),
        ("search", (200, {"hits": [{"text": "a"}]}), {}, "search.result_id", "no id at `id`"),
        ("search", (200, {"hits": ["a"]}), {}, "search.content", "result 1 of 1 has no text"),
        ("search", (200, {"hits": 1}), {"results": "length(hits)"}, "search.results", "length"),
        (
            "search",
            (200, {"a": ["x", "y"], "b": ["z"]}),
            {"results": None, "columns": {"id": "a", "text": "b"}},
            "search.columns",
            "different lengths: {'id': 2, 'text': 1}",
        ),
        (
            "search",
            (200, {"a": ["x"], "b": None}),
            {"results": None, "columns": {"id": "a", "text": "b"}},
            "search.columns.text",
            "no list at `b`",
        ),
        (
            "list",
            (200, {"notes": [], "after": {"x": 1}}),
            {"next": {"cursor": "after"}, "query": {"c": "{cursor}"}},
            "list.next.cursor",
            "is no cursor",
        ),
        ("delete", (202, {}), {"task": TASK}, "delete.task.id", "no id"),
        ("consolidate", (200, {"n": "3"}), COUNTED, "consolidate.processed", '"3" is no count'),
        ("consolidate", (200, {"n": 3}), MADE, "consolidate.created", "3 is no list of ids"),
    ],
)
async def test_a_mapping_that_does_not_fit_is_told_with_its_key(
    operation: str, answer: tuple[int, Any], changed: dict[str, Any], key: str, told: str
) -> None:
    error = await _misfit(operation, answer, changed)
    assert error.field == f"service.operations.{key}"
    assert f"`service.operations.{key}`" in error.detail
    assert told in error.detail
    method = {**mapping_of().model_dump()["operations"].get(operation, {}), **changed}["method"]
    assert error.endpoint.startswith(f"{operation} ({method} /")


async def test_one_bad_result_is_never_left_out_silently() -> None:
    app, log = RestApp((200, HITS)), KeptExchanges()
    with pytest.raises(ContractViolation, match=r"result 2 of 3"):
        await spoken_to(app, log=log).search("ns", "q")
    assert log.kept[0].meaning is None


async def test_a_list_that_would_never_end_names_the_key_of_its_pages() -> None:
    app = RestApp((200, {"notes": [{"id": "a", "text": "x"}], "after": "same"}))
    changed = {"next": {"cursor": "after"}, "query": {"c": "{cursor}"}}
    with pytest.raises(ContractViolation, match="the cursor came before") as caught:
        await spoken_to(app, mapping_of({"list": changed})).list("ns")
    assert caught.value.field == "service.operations.list.next"
    assert caught.value.steps == (1, 2)


async def test_a_version_that_is_not_there_names_its_key() -> None:
    version = {"path": "/about", "value": "app.version"}
    error = await _misfit("info", (200, {"app": {"version": 3}}), version=version)
    assert error.field == "service.version.value"


async def test_a_prepared_variable_that_is_not_there_names_its_key() -> None:
    step = {"method": "POST", "path": "/c/{namespace}", "variables": {"c": "id"}}
    error = await _misfit("write", (200, {}), prepare=[step])
    assert error.field == "service.prepare.0.variables.c"
    assert error.steps == (1,)


async def test_a_poll_that_is_not_there_is_no_missing_record() -> None:
    task = {"id": "t", "path": "/tasks/{task_id}", "done": "d"}
    app = RestApp((202, {"t": "1"}), (404, {}))
    with pytest.raises(ContractViolation) as caught:
        await spoken_to(app, mapping_of({"delete": {"task": task}})).delete("ns", "n1")
    assert caught.value.field == "service.operations.delete.task.path"
    assert caught.value.steps == (1, 2)


async def test_an_answer_in_a_message_is_short_and_visible() -> None:
    error = await _misfit("write", (201, {"a\x1b[2J": "b" * 5000}))
    assert len(error.detail) < 400
    assert error.detail.isprintable()


@pytest.mark.parametrize(
    ("status", "body"), [(400, {"detail": "no"}), (422, {"detail": [{"loc": ["x"]}]}), (500, b"x")]
)
async def test_other_refusals_are_the_services_own(status: int, body: Any) -> None:
    app = RestApp((status, body))
    with pytest.raises(ProviderError) as caught:
        await spoken_to(app).write("ns", "x")
    assert type(caught.value) is ProviderError
    assert caught.value.status == status
    assert str(status) in caught.value.detail
    assert str(caught.value).startswith("write (POST /v1/{namespace}/notes): ")


async def test_a_header_that_could_not_be_sent_sends_nothing() -> None:
    app = RestApp((200, {}))
    mapping = mapping_of({"delete": {"headers": {"X-Id": "{id}"}}})
    with pytest.raises(ContractViolation, match=r"nothing could be sent.*visible ASCII") as caught:
        await spoken_to(app, mapping).delete("ns", "n\r\nX-Evil: 1")
    assert caught.value.field == "service.operations.delete.headers"
    assert app.seen == []


async def test_a_service_that_is_not_there_is_lost() -> None:
    connection = RestDialect(resolved(mapping_of())).connect("http://127.0.0.1:9", deadline_s=2)
    log = KeptExchanges()
    assert not await connection.healthy("/health")
    with pytest.raises(TargetLost):
        await connection.service(log).write("ns", "x")
    assert log.kept[0].outcome is Outcome.TARGET_LOST


async def test_a_service_that_hangs_is_no_answer() -> None:
    from tests.unit.raw_service import RawService, repeats

    async with RawService(repeats(b"HTTP/1.1 200 OK\r\n\r\n", b" ", 0.01)) as raw:
        connection = RestDialect(resolved(mapping_of())).connect(raw.url, deadline_s=0.2)
        with pytest.raises(NoAnswer):
            await connection.service(KeptExchanges()).write("ns", "x")


async def test_a_body_that_is_too_long_is_not_read() -> None:
    from memtru_ci.contract import MAX_BODY_BYTES
    from tests.unit.raw_service import RawService, answers

    async with RawService(answers(b" " * (MAX_BODY_BYTES + 1))) as raw:
        connection = RestDialect(resolved(mapping_of())).connect(raw.url)
        with pytest.raises(ServiceError, match="longer than"):
            await connection.service(KeptExchanges()).write("ns", "x")
