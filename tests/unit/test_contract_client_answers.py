"""Answers are read strictly; each way of breaking the contract names endpoint, field, what came."""

import json
from collections.abc import Awaitable, Callable

import pytest

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind
from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import (
    ContractViolation,
    NoSuchRecord,
    NotOffered,
    ProviderError,
    ServiceError,
    UsageError,
)
from memtru_ci.ports import Memory, MemoryService, ServiceInfo, TakenEvents
from memtru_ci.services.contract import connect
from tests.unit.raw_service import Behaviour, KeptExchanges, RawService, answers

pytestmark = pytest.mark.anyio

Use = Callable[[MemoryService], Awaitable[object]]

CALLS: dict[str, Use] = {
    "info": lambda service: service.info(),
    "write": lambda service: service.write("ns", "a"),
    "update": lambda service: service.update("ns", "m1", "a"),
    "search": lambda service: service.search("ns", "q"),
    "list": lambda service: service.list("ns"),
    "delete": lambda service: service.delete("ns", "m1"),
    "delete_thread": lambda service: service.delete_thread("ns", "t1"),
    "delete_namespace": lambda service: service.delete_namespace("ns"),
    "begin": lambda s: s.begin_pending_write("ns", "a", target_id="m1", thread_id=None),
    "release": lambda service: service.release_pending_writes("ns"),
    "converse": lambda service: service.record_conversation("ns", "t1", ["hello"]),
    "session": lambda service: service.start_session("ns"),
    "consolidate": lambda service: service.consolidate("ns"),
    "restart": lambda service: service.restart(),
    "surfaces": lambda service: service.surfaces("ns"),
    "inspect": lambda service: service.inspect_surface("ns", "profile", "q"),
    "policy_events": lambda service: service.policy_events([{"id": "a"}, {"id": "b"}]),
    "policy_query": lambda service: service.policy_query(
        {"session": "s", "query": None, "at": "2026-01-01T00:00:00Z", "limit": 3}
    ),
}
WITH_ID = {"update", "delete", "delete_thread", "delete_namespace", "inspect"}


async def _ask(behaviour: Behaviour, use: Use, log: KeptExchanges | None = None) -> object:
    async with RawService(behaviour) as service:
        connection = connect(service.url, deadline_s=5)
        try:
            return await use(connection.service(log or KeptExchanges()))
        finally:
            assert len(service.requests) == 1


async def _value(body: object, call: str, status: int = 200) -> object:
    answer = await _ask(answers(body, status), CALLS[call])
    return answer.value  # type: ignore[attr-defined]


async def _fault(body: object, call: str, status: int = 200) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        await _ask(answers(body, status), CALLS[call])
    return caught.value


@pytest.mark.parametrize(
    ("call", "body", "field"),
    [
        ("info", {"contract": "2.0", "service": {}, "capabilities": []}, "contract"),
        ("info", {"contract": "1.0", "capabilities": []}, "service"),
        (
            "info",
            {
                "contract": "1.0",
                "service": {"name": "a", "version": "1"},
                "capabilities": [],
                "consistency_window_ms": 60_001,
            },
            "consistency_window_ms",
        ),
        ("write", {}, "id"),
        ("write", {"id": None}, "id"),
        ("write", {"id": 7}, "id"),
        ("write", {"id": ""}, "id"),
        ("write", {"id": "x" * 513}, "id"),
        ("write", ["m1"], "(body)"),
        ("write", b"", "(body)"),
        ("write", b"<html>hello</html>", "(body)"),
        ("write", b'\xef\xbb\xbf{"id": "m1"}', "(body)"),
        ("write", '{"id": "m1"}'.encode("utf-16"), "(body)"),
        ("write", b'{"id": "m\xff"}', "(body)"),
        ("write", b'{"id": "\\ud800"}', "(body)"),
        ("write", b'{"id": "m1", "id": "m2"}', "id"),
        ("search", {"results": None}, "results"),
        ("search", {"results": [{"id": "a"}]}, "results.0.content"),
        ("search", {"results": [{"content": "a"}]}, "results.0.id"),
        ("search", {"results": {"id": "a", "content": "b"}}, "results"),
        ("search", b'{"results": [{"id": "a", "content": "b", "score": NaN}]}', "(body)"),
        ("search", b'{"results": [], "x": 1e400}', "(body)"),
        ("search", b'{"results": ' + b"[" * 100_000, "(body)"),
        ("search", b'{"results": [], "n": ' + b"9" * 5000 + b"}", "(body)"),
        ("list", {"results": []}, "next_cursor"),
        ("list", {"results": [], "next_cursor": 2}, "next_cursor"),
        ("session", {"executed": "yes"}, "executed"),
        ("session", {"executed": 1}, "executed"),
        ("session", {"detail": "done"}, "executed"),
        ("session", b'{"executed": true, "executed": false}', "executed"),
        ("session", {"executed": True, "processed": -1}, "processed"),
        ("session", {"executed": True, "created": [{"kind": "x", "id": "1"}]}, "created.0.kind"),
        ("release", {"executed": True}, "processed"),
        ("release", {"executed": True, "processed": None}, "processed"),
        ("release", {"executed": True, "processed": "1"}, "processed"),
        ("surfaces", {"surfaces": [{"name": ""}]}, "surfaces.0.name"),
        ("surfaces", {"surfaces": [{"name": str(n)} for n in range(101)]}, "surfaces"),
        ("inspect", {"results": [{"id": "a"}]}, "results.0.content"),
        ("policy_events", {"accepted": 2}, "rejected"),
        ("policy_events", {"accepted": True, "rejected": []}, "accepted"),
        ("policy_events", {"accepted": -1, "rejected": []}, "accepted"),
        ("policy_events", {"accepted": 1, "rejected": [{"index": 1}]}, "rejected.0.reason"),
        (
            "policy_events",
            {"accepted": 1, "rejected": [{"index": 2, "reason": "late"}]},
            "rejected",
        ),
        ("policy_query", {}, "ids"),
        ("policy_query", {"ids": None}, "ids"),
        ("policy_query", {"ids": ["a", 7]}, "ids.1"),
        ("policy_query", {"ids": [""]}, "ids.0"),
        ("policy_query", {"ids": "a"}, "ids"),
        ("policy_query", {"ids": [], "conflicts": "none"}, "conflicts"),
    ],
)
async def test_a_malformed_answer_breaks_the_contract_at_a_named_field(
    call: str, body: object, field: str
) -> None:
    error = await _fault(body, call)

    assert type(error) is ContractViolation
    assert error.field == field
    assert field in error.detail
    assert error.steps == (1,)


async def test_a_violation_shows_the_endpoint_and_what_came() -> None:
    error = await _fault({"executed": "yes"}, "session")

    assert str(error).startswith("POST /lifecycle/sessions: executed")
    assert '"yes"' in str(error)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("status", [405, 501])
async def test_a_missing_method_is_a_capability_not_offered(call: str, status: int) -> None:
    error = await _fault({}, call, status)

    assert isinstance(error, NotOffered)
    assert error.status == status


@pytest.mark.parametrize("call", CALLS)
async def test_404_means_no_such_record_only_where_the_path_holds_an_id(call: str) -> None:
    error = await _fault({}, call, 404)

    assert type(error) is (NoSuchRecord if call in WITH_ID else NotOffered)


@pytest.mark.parametrize("call", CALLS)
async def test_410_means_no_such_record_only_where_the_path_holds_an_id(call: str) -> None:
    error = await _fault({}, call, 410)

    assert type(error) is (NoSuchRecord if call in WITH_ID else ProviderError)


@pytest.mark.parametrize("status", [300, 307, 400, 401, 403, 409, 413, 422, 429, 500, 503])
async def test_every_other_error_status_is_the_providers(status: int) -> None:
    error = await _fault({}, "write", status)

    assert type(error) is ProviderError
    assert error.status == status


async def test_a_problem_is_shown_with_title_and_detail_bounded_and_harmless() -> None:
    problem = {"title": "No quota", "detail": "for\n::error::you\x1b[31m" + "x" * 5000}

    error = await _fault(problem, "write", 429)

    assert error.detail.startswith("429: No quota: for\\u000a::error::you\\u001b[31mxx")
    assert len(error.detail) < 400


async def test_an_error_that_is_no_problem_is_shown_as_its_text() -> None:
    assert (await _fault(b"upstream\tfell over", "write", 502)).detail == (
        "502: upstream\\u0009fell over"
    )


async def test_what_a_service_says_of_itself_is_read() -> None:
    body = {
        "contract": "1.3",
        "service": {"name": "acme\n", "version": "2"},
        "capabilities": ["MEMORY_WRITE", "TELEPATHY"],
        "consistency_window_ms": None,
        "later": True,
    }

    assert await _value(body, "info") == ServiceInfo(
        "acme\\u000a", "2", frozenset({"MEMORY_WRITE", "TELEPATHY"}), 0
    )


async def test_results_keep_their_order_and_ids() -> None:
    results = [{"id": "b", "content": "two", "score": None}, {"id": "a", "content": "one"}]

    assert await _value({"results": results}, "search") == (Memory("two", "b"), Memory("one", "a"))


async def test_a_surface_may_show_texts_without_ids() -> None:
    assert await _value({"results": [{"content": "one", "id": None}]}, "inspect") == (
        Memory("one"),
    )


async def test_a_surface_named_twice_is_one_surface() -> None:
    body = {"surfaces": [{"name": "profile"}, {"name": "graph"}, {"name": "profile"}]}

    assert await _value(body, "surfaces") == ("profile", "graph")


@pytest.mark.parametrize(("status", "body"), [(200, {}), (202, b""), (204, b"")])
async def test_a_delete_says_by_its_status_how_far_it_got(status: int, body: object) -> None:
    assert await _value(body, "delete", status) == status


async def test_a_receipt_is_read_whole() -> None:
    created = [{"kind": "memory", "id": "m7"}]
    body = {"executed": True, "detail": "1 applied", "created": created, "processed": 1}

    assert await _value(body, "release") == HookReceipt(
        executed=True,
        detail="1 applied",
        created=(CreatedRecord(kind=RecordKind.MEMORY, id="m7"),),
        processed=1,
    )


async def test_a_release_that_did_not_run_need_not_count() -> None:
    receipt = await _value({"executed": False, "detail": "nothing held"}, "release")

    assert receipt == HookReceipt(executed=False, detail="nothing held")


async def test_every_call_is_sent_as_the_contract_has_it() -> None:
    async with RawService(answers({}, 500)) as service:
        trial = connect(f"{service.url}/v1/", deadline_s=5).service(KeptExchanges())
        for use in CALLS.values():
            with pytest.raises(ProviderError):
                await use(trial)
        lines = service.lines
        bodies = [one.partition(b"\r\n\r\n")[2].decode() for one in service.requests]
    sent = dict(zip(CALLS, zip(lines, bodies, strict=True), strict=True))

    def call(name: str) -> tuple[str, object]:
        line, body = sent[name]
        return line.replace("/v1", ""), json.loads(body) if body else None

    assert all(" /v1/" in line for line in lines)
    assert call("info") == ("GET /capabilities", None)
    assert call("write") == ("POST /memories", {"namespace": "ns", "content": "a"})
    assert call("update") == ("PUT /memories/m1", {"namespace": "ns", "content": "a"})
    search = {"namespace": "ns", "query": "q", "limit": 100}
    assert call("search") == ("POST /memories/search", search)
    assert call("list") == ("GET /memories?namespace=ns&limit=100", None)
    assert call("delete") == ("DELETE /memories/m1?namespace=ns", None)
    assert call("delete_thread") == ("DELETE /threads/t1?namespace=ns", None)
    assert call("delete_namespace") == ("DELETE /namespaces/ns", None)
    held = {"namespace": "ns", "content": "a", "target_id": "m1"}
    assert call("begin") == ("POST /lifecycle/pending-writes", held)
    assert call("release") == ("POST /lifecycle/pending-writes/release", {"namespace": "ns"})
    said = [{"role": "user", "content": "hello"}]
    talk = {"namespace": "ns", "thread_id": "t1", "messages": said}
    assert call("converse") == ("POST /lifecycle/conversations", talk)
    assert call("session") == ("POST /lifecycle/sessions", {"namespace": "ns"})
    assert call("consolidate") == ("POST /lifecycle/consolidate", {"namespace": "ns"})
    assert call("restart") == ("POST /lifecycle/restart", {})
    assert call("surfaces") == ("GET /lifecycle/surfaces?namespace=ns", None)
    assert call("inspect") == (
        "POST /lifecycle/surfaces/profile",
        {"namespace": "ns", "query": "q"},
    )


async def test_a_held_write_without_a_target_says_null_and_a_thread_is_named_where_given() -> None:
    async with RawService(answers({"executed": True})) as service:
        trial = connect(service.url, deadline_s=5).service(KeptExchanges())
        await trial.begin_pending_write("ns", "a", target_id=None, thread_id="t1")

        body = json.loads(service.requests[0].partition(b"\r\n\r\n")[2])
    assert body == {"namespace": "ns", "content": "a", "target_id": None, "thread_id": "t1"}


@pytest.mark.parametrize(
    ("memory_id", "path"),
    [
        ("../../capabilities", "/memories/..%2F..%2Fcapabilities"),
        ("..", "/memories/%2E%2E"),
        (".", "/memories/%2E"),
        ("http://other/", "/memories/http%3A%2F%2Fother%2F"),
        ("a?b#c&d=e", "/memories/a%3Fb%23c%26d%3De"),
        ("50%2F", "/memories/50%252F"),
        ("a b+ü", "/memories/a%20b%2B%C3%BC"),
        ("line\r\nX-A: b", "/memories/line%0D%0AX-A%3A%20b"),
        ("😀" * 512, "/memories/" + "%F0%9F%98%80" * 512),
    ],
)
async def test_an_id_stays_one_segment_whatever_it_holds(memory_id: str, path: str) -> None:
    log = KeptExchanges()
    async with RawService(answers(b"", 204)) as service:
        await connect(service.url, deadline_s=5).service(log).delete("n s/&=..", memory_id)

        assert service.lines == [f"DELETE {path}?namespace=n%20s%2F%26%3D.."]
    assert log.kept[0].path == f"{path}?namespace=n%20s%2F%26%3D.."


async def test_an_exchange_is_kept_with_what_was_sent_and_what_came() -> None:
    log = KeptExchanges()
    body = {"results": [{"id": "a", "content": "b", "extra": [1, None]}]}

    await _ask(answers(body), CALLS["search"], log)

    (kept,) = log.kept
    assert (kept.step, kept.operation, kept.surface) == (1, "search", "search")
    assert (kept.namespace, kept.method, kept.path) == ("ns", "POST", "/memories/search")
    assert kept.request == {"namespace": "ns", "query": "q", "limit": 100}
    assert (kept.status, kept.answer, kept.reduced) == (200, body, False)
    assert (kept.outcome, kept.error) == (Outcome.DONE, "")
    assert kept.started_ms < kept.ended_ms


async def test_the_answer_that_broke_the_contract_is_kept() -> None:
    log = KeptExchanges()
    with pytest.raises(ContractViolation):
        await _ask(answers({"executed": "yes"}), CALLS["session"], log)
    with pytest.raises(ContractViolation):
        await _ask(answers(b"<p>\xff" + b"x" * 9000), CALLS["session"], log)

    assert log.kept[0].answer == {"executed": "yes"}
    assert str(log.kept[1].answer).startswith("<p>\ufffdxxx")
    assert len(str(log.kept[1].answer)) == 2000
    assert [one.reduced for one in log.kept] == [False, True]
    assert {one.outcome for one in log.kept} == {Outcome.CONTRACT_VIOLATION}


@pytest.mark.parametrize(
    ("status", "outcome"), [(501, Outcome.NOT_OFFERED), (500, Outcome.PROVIDER_ERROR)]
)
async def test_a_refused_call_is_kept_with_its_outcome(status: int, outcome: Outcome) -> None:
    log = KeptExchanges()
    with pytest.raises(ServiceError) as caught:
        await _ask(answers({"title": "No"}, status), CALLS["restart"], log)

    (kept,) = log.kept
    assert (kept.outcome, kept.status, kept.answer) == (outcome, status, {"title": "No"})
    assert kept.error == caught.value.detail == f"{status}: No"


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8080",
        "ftp://host",
        "http://",
        "file:///etc/passwd",
        "http://user:secret@host",
        "http://host?a=b",
        "http://host#a",
        "http://host:port",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_at_once(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect(address)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "hidden value", "hidden\n", "hidden\r\nX-A: b", "hiddén"])
def test_a_token_that_would_break_a_header_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect("http://host", token=token)

    assert "hidd" not in str(caught.value)


async def test_policy_answers_are_read() -> None:
    taken = await _value(
        {"accepted": 1, "rejected": [{"index": 1, "reason": "bad\x1b"}]}, "policy_events"
    )
    assert taken == TakenEvents(1, ((1, "bad\\u001b"),))
    ids = await _value({"ids": ["b", "a"], "conflicts": None, "results": [7]}, "policy_query")
    assert ids == ("b", "a")


async def test_a_policy_answer_is_kept_whole_with_all_that_explains_it() -> None:
    body = {"ids": ["a"], "results": [{"id": "a", "source": "chat"}], "exclusions": [{"id": "b"}]}
    log = KeptExchanges()
    await _ask(answers(body), CALLS["policy_query"], log)

    (exchange,) = log.kept
    assert (exchange.operation, exchange.surface, exchange.answer) == ("policy_query", None, body)
    assert exchange.request == {
        "session": "s",
        "query": None,
        "at": "2026-01-01T00:00:00Z",
        "limit": 3,
    }
