"""What is sent through a mapping, what is read from the answers, and what is kept of both."""

from typing import Any

import pytest

from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import NoAnswer, NoSuchRecord, NotOffered, ProviderError
from memtru_ci.ports import Memory, RunsThreads
from memtru_ci.services.rest.sender import Sender
from tests.unit.raw_service import KeptExchanges
from tests.unit.rest_app import RestApp, connected, mapping_of, spoken_to

pytestmark = pytest.mark.anyio

WRITTEN = (201, {"note": {"id": "n1"}})


async def test_a_write_is_sent_and_read_as_mapped() -> None:
    app, log = RestApp(WRITTEN), KeptExchanges()
    answer = await spoken_to(app, log=log).write("ns/1", 'say "hi"')
    assert (answer.value, answer.steps) == ("n1", (1,))
    assert app.lines == ["POST /v1/ns%2F1/notes"]
    assert app.bodies == [{"text": 'say "hi"'}]
    (kept,) = log.kept
    assert (kept.operation, kept.namespace, kept.surface) == ("write", "ns/1", None)
    assert kept.answer == {"note": {"id": "n1"}}
    assert kept.meaning == {"id": "n1"}
    assert kept.outcome is Outcome.DONE


async def test_a_service_that_is_not_the_contracts_is_sent_no_contract_header() -> None:
    app = RestApp(WRITTEN)
    await spoken_to(app).write("ns", "x")
    assert "memtru-contract" not in app.seen[0].headers
    assert app.seen[0].headers["user-agent"].startswith("memtru-ci/")


async def test_an_update_keeps_its_id_where_the_answer_has_none() -> None:
    app = RestApp((200, {}))
    assert (await spoken_to(app).update("ns", "a b", "x")).value == "a b"
    assert app.lines == ["PATCH /v1/ns/notes/a%20b"]


@pytest.mark.parametrize(("status", "key"), [(404, {}), (410, {}), (400, {"gone": [400]})])
async def test_a_status_can_mean_that_there_is_no_such_record(
    status: int, key: dict[str, Any]
) -> None:
    app = RestApp((status, {"detail": "no"}))
    with pytest.raises(NoSuchRecord) as caught:
        await spoken_to(app, mapping_of({"delete": key})).delete("ns", "n1")
    assert caught.value.status == status
    assert caught.value.steps == (1,)


@pytest.mark.parametrize("status", [200, 500])
async def test_an_answer_can_mean_so_whatever_its_status(status: int) -> None:
    log = KeptExchanges()
    app = RestApp((status, {"error": "note not found"}))
    mapping = mapping_of({"update": {"gone_when": "contains(error, 'not found')"}})
    with pytest.raises(NoSuchRecord):
        await spoken_to(app, mapping, log).update("ns", "n1", "x")
    assert log.kept[0].meaning == {"no_such_record": True}
    assert log.kept[0].outcome is Outcome.PROVIDER_ERROR


async def test_a_success_that_is_not_ok_is_a_refusal() -> None:
    app = RestApp((200, {"success": False, "why": "duplicate"}))
    with pytest.raises(ProviderError, match=r"200, but `success` is not true.*duplicate"):
        await spoken_to(app, mapping_of({"write": {"ok": "success"}})).write("ns", "x")


async def test_a_delete_is_its_status() -> None:
    log = KeptExchanges()
    answer = await spoken_to(RestApp((202, b"")), log=log).delete("ns", "n1")
    assert answer.value == 202
    assert log.kept[0].meaning == {}
    assert log.kept[0].is_success


async def test_a_search_reads_texts_and_ids() -> None:
    hits = [{"id": "a", "text": "one"}, {"id": 7, "text": ["two", {"more": "three", "no": None}]}]
    app, log = RestApp((200, {"hits": hits})), KeptExchanges()
    answer = await spoken_to(app, log=log).search("ns", "which?")
    assert answer.value == (Memory("one", "a"), Memory("two\nthree", "7"))
    assert app.lines == ["GET /v1/ns/find?q=which%3F&top=100"]
    assert log.kept[0].meaning == {
        "results": [{"id": "a", "content": "one"}, {"id": "7", "content": "two\nthree"}]
    }
    assert log.kept[0].surface == "search"


async def test_an_id_that_is_a_number_is_sent_back_as_one() -> None:
    app = RestApp((201, {"note": {"id": 12}}), (200, {}))
    mapping = mapping_of({"delete": {"method": "POST", "path": "/{namespace}", "body": ["{id}"]}})
    service = spoken_to(app, mapping)
    written = await service.write("ns", "x")
    await service.delete("ns", written.value)
    assert written.value == "12"
    assert app.bodies[1] == [12]


async def test_results_by_column_are_put_together() -> None:
    app = RestApp((200, {"ids": [["a", "b"]], "documents": [["one", "two"]]}))
    columns = {"id": "ids[0]", "document": "documents[0]"}
    changed = {"results": None, "columns": columns, "content": "document"}
    answer = await spoken_to(app, mapping_of({"search": changed})).search("ns", "q")
    assert answer.value == (Memory("one", "a"), Memory("two", "b"))


async def test_a_status_can_mean_that_a_namespace_holds_nothing() -> None:
    log = KeptExchanges()
    service = spoken_to(RestApp((404, {})), mapping_of({"list": {"empty": [404]}}), log)
    assert (await service.list("ns")).value == ()
    assert log.kept[0].meaning == {"results": [], "next_cursor": None}
    assert log.kept[0].is_success


NEXT = "{namespace}"


@pytest.mark.parametrize(
    ("way", "pages", "queries"),
    [
        (
            {"cursor": "after"},
            [{"notes": ["a"], "after": "c&1"}, {"notes": ["b"], "after": None}],
            ["", "?at=c%261"],
        ),
        (
            {"page": 1, "more": "more"},
            [{"notes": ["a"], "more": True}, {"notes": ["b"], "more": False}],
            ["?at=1", "?at=2"],
        ),
        (
            {"offset": 0},
            [{"notes": ["a"]}, {"notes": ["b"]}, {"notes": []}],
            ["?at=0", "?at=1", "?at=2"],
        ),
    ],
)
async def test_a_list_is_followed_to_its_end(
    way: dict[str, Any], pages: list[dict[str, Any]], queries: list[str]
) -> None:
    for page in pages:
        page["notes"] = [{"id": one, "text": f"about {one}"} for one in page["notes"]]
    app, log = RestApp(*[(200, one) for one in pages]), KeptExchanges()
    name = next(one for one in way if one != "more")
    mapping = mapping_of({"list": {"next": way, "query": {"at": f"{{{name}}}"}}})
    answer = await spoken_to(app, mapping, log).list("ns")
    assert answer.value == (Memory("about a", "a"), Memory("about b", "b"))
    assert app.lines == [f"GET /v1/ns/notes{query}" for query in queries]
    cursors = [one.meaning["next_cursor"] for one in log.kept]  # type: ignore[index,call-overload]
    assert all(isinstance(one, str) for one in cursors[:-1])
    assert cursors[-1] is None


async def test_a_namespace_is_prepared_once_before_its_first_use() -> None:
    app = RestApp((200, {"id": "c1"}), WRITTEN, WRITTEN, (200, {"id": "c2"}), WRITTEN)
    step = {"method": "POST", "path": "/c", "body": ["{namespace}"], "variables": {"c": "id"}}
    mapping = mapping_of({"write": {"path": "/{c}/notes"}}, prepare=[step])
    log = KeptExchanges()
    connection = connected(app, mapping)
    service = connection.service(log)
    assert (await service.write("one", "x")).steps == (1, 2)
    assert (await service.write("one", "y")).steps == (3,)
    await connection.service(log).write("two", "z")
    assert app.lines == [
        "POST /c",
        "POST /c1/notes",
        "POST /c1/notes",
        "POST /c",
        "POST /c2/notes",
    ]
    assert [one.operation for one in log.kept] == ["write"] * 5


TASK = {"id": "task", "path": "/tasks/{task_id}", "done": "state == 'done'", "failed": "error"}


def _slept(seconds: list[float], service: Any) -> Any:
    async def sleep(one: float) -> None:
        seconds.append(one)

    sender: Sender = service._sender
    sender._sleep = sleep
    return service


async def test_a_task_is_asked_for_until_it_is_done() -> None:
    app = RestApp((202, {"task": "t/1"}), (200, {"state": "busy"}), (200, {"state": "done"}))
    log, slept = KeptExchanges(), []
    service = _slept(slept, spoken_to(app, mapping_of({"delete": {"task": TASK}}), log))
    answer = await service.delete("ns", "n1")
    assert (answer.value, answer.steps) == (200, (1, 2, 3))
    assert app.lines[1:] == ["GET /tasks/t%2F1"] * 2
    assert slept == [0.2]
    assert [one.operation for one in log.kept] == ["delete"] * 3
    assert [one.meaning for one in log.kept] == [None, None, {}]


async def test_what_a_write_has_made_is_in_the_answer_that_the_mapping_names() -> None:
    last = RestApp((202, {"task": "t"}), (200, {"state": "done", "note": {"id": "n9"}}))
    mapping = mapping_of({"write": {"task": TASK}})
    assert (await spoken_to(last, mapping).write("ns", "x")).value == "n9"
    first = RestApp((202, {"task": "t", "note": {"id": "n8"}}), (200, {"state": "done"}))
    mapping = mapping_of({"write": {"task": {**TASK, "answer": "first"}}})
    assert (await spoken_to(first, mapping).write("ns", "x")).value == "n8"


async def test_a_task_that_fails_is_a_refusal() -> None:
    app = RestApp((202, {"task": "t"}), (200, {"state": "x", "error": "no disk"}))
    with pytest.raises(ProviderError, match=r"the task has failed.*no disk") as caught:
        await spoken_to(app, mapping_of({"delete": {"task": TASK}})).delete("ns", "n1")
    assert caught.value.steps == (1, 2)


async def test_a_task_that_is_late_is_no_answer() -> None:
    app = RestApp((202, {"task": "t"}), (200, {"state": "busy"}))
    mapping = mapping_of({"delete": {"task": {**TASK, "timeout_ms": 100, "interval_ms": 20}}})
    with pytest.raises(NoAnswer, match=r"not done within 0\.1 s"):
        await spoken_to(app, mapping).delete("ns", "n1")


async def test_further_surfaces_are_those_of_the_mapping() -> None:
    surface = {"method": "GET", "path": "/v1/{namespace}/profile", "results": "[@]", "content": "p"}
    app, log = RestApp((200, {"p": "they like tea"})), KeptExchanges()
    service = spoken_to(app, mapping_of(surfaces={"profile": surface}), log)
    named = await service.surfaces("ns")
    shown = await service.inspect_surface("ns", "profile", "q")
    assert (named.value, named.steps) == (["profile"], (1,))
    assert shown.value == (Memory("they like tea"),)
    assert app.lines == ["GET /v1/ns/profile"]
    assert log.kept[0].meaning == {"surfaces": [{"name": "profile"}]}
    assert (log.kept[1].operation, log.kept[1].surface) == ("inspect_surface", "profile")
    with pytest.raises(NotOffered):
        await service.inspect_surface("ns", "diary", "q")


async def test_a_lifecycle_operation_that_is_acknowledged_gives_a_receipt() -> None:
    operation = {
        "method": "POST",
        "path": "/v1/{namespace}/chats/{thread_id}",
        "body": {"messages": "{messages}", "all": "{content}"},
        "created": "made[].id",
        "processed": "count",
    }
    app, log = RestApp((200, {"made": [{"id": "m1"}, {"id": 2}], "count": 2})), KeptExchanges()
    service = spoken_to(app, mapping_of({"record_conversation": operation}), log)
    receipt = (await service.record_conversation("ns", "t1", ["one", "two"])).value
    assert receipt.executed
    assert receipt.processed == 2
    assert [one.id for one in receipt.created] == ["m1", "2"]
    assert app.bodies[0] == {
        "messages": [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}],
        "all": "one\ntwo",
    }
    assert log.kept[0].meaning == receipt.model_dump(mode="json")


async def test_what_is_not_mapped_is_not_offered_and_nothing_is_sent() -> None:
    app = RestApp((200, {}))
    service = spoken_to(app)
    for call in (
        service.consolidate("ns"),
        service.start_session("ns"),
        service.delete_thread("ns", "t"),
        service.delete_namespace("ns"),
        service.record_conversation("ns", "t", ["x"]),
        service.begin_pending_write("ns", "x", target_id="a", thread_id="t"),
        service.release_pending_writes("ns"),
        service.restart(),
        service.policy_events([]),
        service.policy_query({}),
        service.run("ns", "t", "x"),
    ):
        with pytest.raises(NotOffered):
            await call
    assert app.seen == []


async def test_a_run_on_a_thread_is_an_operation_of_its_own() -> None:
    run = {"method": "POST", "path": "/threads/{thread_id}/runs", "body": {"input": "{content}"}}
    app = RestApp((200, {}))
    service = spoken_to(app, mapping_of({"run": run}))
    assert isinstance(service, RunsThreads)
    assert (await service.run("ns", "t1", "hello")).value == "t1"
    assert app.lines == ["POST /threads/t1/runs"]


async def test_the_service_is_asked_for_its_health_or_its_version() -> None:
    app, log = RestApp((200, b"fine")), KeptExchanges()
    mapping = mapping_of(health="/ready", version="1.2", consistency_window_ms=500)
    info = (await spoken_to(app, mapping, log).info()).value
    assert app.lines == ["GET /ready"]
    assert (info.name, info.version, info.consistency_window_ms) == ("notes", "1.2", 500)
    assert info.capabilities == {
        "MEMORY_WRITE",
        "MEMORY_UPDATE",
        "MEMORY_SEARCH",
        "MEMORY_LIST",
        "MEMORY_DELETE",
    }
    meaning = log.kept[0].meaning
    assert isinstance(meaning, dict)
    assert meaning["consistency_window_ms"] == 500
    asked = RestApp((200, {"app": {"version": "3"}}))
    mapping = mapping_of(version={"path": "/about", "value": "app.version"})
    assert (await spoken_to(asked, mapping).info()).value.version == "3"
    assert asked.lines == ["GET /about"]


async def test_the_token_goes_where_the_mapping_says() -> None:
    app = RestApp((200, {}))
    plain = connected(app, mapping_of(), "t0ken")
    keyed = connected(app, mapping_of(headers={"X-API-Key": "key {token}"}), "t0ken")
    without = connected(app, mapping_of(headers={"X-API-Key": "{token}"}))
    for connection in (plain, keyed, without):
        await connection.service(KeptExchanges()).delete("ns", "n1")
        assert await connection.healthy("/up")
    sent = [(one.headers.get("authorization"), one.headers.get("x-api-key")) for one in app.seen]
    assert sent == [("Bearer t0ken", None)] * 2 + [(None, "key t0ken")] * 2 + [(None, None)] * 2
    assert app.lines[1] == "GET /up"


async def test_vectors_are_made_by_the_gate() -> None:
    changed = {
        "write": {"body": {"text": "{content}", "vector": "{content_vector}"}},
        "search": {"method": "POST", "query": {}, "body": {"near": "{query_vector}"}},
    }
    app = RestApp(WRITTEN, (200, {"hits": []}))
    service = spoken_to(app, mapping_of(changed, vector_dimensions=8))
    await service.write("ns", "tea")
    await service.search("ns", "tea")
    assert len(app.bodies[0]["vector"]) == 8
    assert app.bodies[0]["vector"] == app.bodies[1]["near"]


async def test_the_gates_own_id_is_new_for_each_write() -> None:
    app = RestApp((201, b""))
    changed = {"id": None, "own_id": True, "body": {"id": "{new_id}", "text": "{content}"}}
    service = spoken_to(app, mapping_of({"write": changed}))
    ids = [(await service.write("ns", "x")).value for _ in range(2)]
    assert ids == [one["id"] for one in app.bodies]
    assert len(set(ids)) == 2
