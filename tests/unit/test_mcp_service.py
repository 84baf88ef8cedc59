"""A memory service behind MCP tools: each operation is one call, kept with what it means."""

import pytest

from memtru_ci.domain.timeline import Outcome
from memtru_ci.errors import ContractViolation, NoSuchRecord, NotOffered, ProviderError
from memtru_ci.ports import Memory
from tests.mcp_peers import (
    NOTES,
    FakePipe,
    at_calls,
    connected,
    line,
    notes_mapping,
    notes_peer,
    result,
)
from tests.unit.raw_service import KeptExchanges

pytestmark = pytest.mark.anyio


async def test_what_is_written_is_found_listed_and_deleted_by_its_id() -> None:
    log = KeptExchanges()
    async with connected(FakePipe(notes_peer())) as connection:
        service = connection.service(log)
        written = await service.write("ns-1", "the blue key")
        await service.write("ns-2", "the blue door")
        await service.update("ns-1", written.value, "the blue lock")
        assert (await service.search("ns-1", "blue")).value == [Memory("the blue lock", "1")]
        assert (await service.list("ns-1")).value == (Memory("the blue lock", "1"),)
        assert (await service.delete("ns-1", written.value)).value == 200
        assert not (await service.search("ns-1", "blue")).value


async def test_an_exchange_keeps_the_tool_its_arguments_its_answer_and_the_meaning() -> None:
    log = KeptExchanges()
    async with connected(FakePipe(notes_peer())) as connection:
        answer = await connection.service(log).write("ns-1", "the blue key")
    (kept,) = log.kept
    assert (kept.operation, kept.method, kept.path) == ("write", "tools/call", "add_note")
    assert kept.request == {"scope": "ns-1", "text": "the blue key"}
    assert isinstance(kept.answer, dict)
    assert kept.answer["structuredContent"] == {"number": 1}
    assert kept.meaning == {"id": "1"}
    assert (kept.status, kept.outcome, answer.steps) == (None, Outcome.DONE, (1,))


async def test_an_id_that_is_a_number_is_sent_as_a_number() -> None:
    pipe = FakePipe(notes_peer())
    async with connected(pipe) as connection:
        service = connection.service(KeptExchanges())
        await service.delete("ns-1", (await service.write("ns-1", "x")).value)
    assert pipe.taken[-1]["params"]["arguments"] == {"number": 1}


async def test_a_list_follows_its_pages_and_reads_each_result() -> None:
    log = KeptExchanges()
    async with connected(FakePipe(notes_peer())) as connection:
        service = connection.service(log)
        for number in range(3):
            await service.write("ns-1", f"note {number}")
        answer = await service.list("ns-1")
    assert [one.content for one in answer.value] == ["note 0", "note 1", "note 2"]
    kept = [one for one in log.kept if one.step in answer.steps]
    assert [one.path for one in kept] == [
        "list_notes",
        "read_note",
        "read_note",
        "list_notes",
        "read_note",
    ]
    assert {one.surface for one in kept} == {"list"}
    assert kept[0].meaning == {"results": [], "next_cursor": "2"}
    assert kept[-1].meaning == {
        "results": [{"id": "3", "content": "note 2"}],
        "next_cursor": None,
    }


async def test_a_result_that_is_gone_when_it_is_read_is_an_absence() -> None:
    found = iter([{"notes": [{"number": 7}], "more": False}])
    gone = {"content": [{"type": "text", "text": "There is no note 7."}], "isError": True}

    def behave(message: dict) -> list[bytes]:
        if message["params"]["name"] == "list_notes":
            return [result(message, next(found))]
        return [line({"jsonrpc": "2.0", "id": message["id"], "result": gone})]

    log = KeptExchanges()
    async with connected(FakePipe(at_calls(behave))) as connection:
        assert (await connection.service(log).list("ns-1")).value == ()
    assert [one.outcome for one in log.kept] == [Outcome.DONE, Outcome.DONE]


@pytest.mark.parametrize("operation", ["update", "delete"])
async def test_an_unknown_id_is_no_such_record_by_the_text_of_the_error(operation: str) -> None:
    log = KeptExchanges()
    async with connected(FakePipe(notes_peer())) as connection:
        service = connection.service(log)
        given = ("ns-1", "9", "x") if operation == "update" else ("ns-1", "9")
        with pytest.raises(NoSuchRecord):
            await getattr(service, operation)(*given)
    (kept,) = log.kept
    assert (kept.outcome, kept.status) == (Outcome.PROVIDER_ERROR, None)
    assert kept.meaning == {"no_such_record": True}


async def test_another_error_of_a_tool_is_a_provider_error_that_shows_its_text() -> None:
    refusal = {"content": [{"type": "text", "text": "the\x1b disk is full"}], "isError": True}

    def behave(message: dict) -> list[bytes]:
        return [line({"jsonrpc": "2.0", "id": message["id"], "result": refusal})]

    log = KeptExchanges()
    async with connected(FakePipe(at_calls(behave))) as connection:
        with pytest.raises(ProviderError, match="disk is full") as caught:
            await connection.service(log).update("ns-1", "1", "x")
    assert not isinstance(caught.value, NoSuchRecord)
    assert "\x1b" not in str(caught.value)
    assert log.kept[0].meaning is None


async def test_a_success_that_says_no_is_a_provider_error() -> None:
    def behave(message: dict) -> list[bytes]:
        return [result(message, {"dropped": False})]

    async with connected(FakePipe(at_calls(behave))) as connection:
        with pytest.raises(ProviderError, match="`dropped` is not true"):
            await connection.service(KeptExchanges()).delete("ns-1", "1")


MISFITS = {
    "service.operations.write.id": ("write", {"id": 5}),
    "service.operations.write.source": ("write", None),
    "service.operations.search.results": ("search", {"hits": []}),
    "service.operations.search.content": (
        "search",
        {"notes": [{"scope": "ns-1", "number": 1, "text": 5}]},
    ),
    "service.operations.search.result_id": ("search", {"notes": [{"scope": "ns-1", "text": "x"}]}),
    "service.operations.search.namespaced_by.value": ("search", {"notes": [{"text": "x"}]}),
}


@pytest.mark.parametrize("key", MISFITS)
async def test_an_answer_that_does_not_fit_names_the_key_of_the_mapping(key: str) -> None:
    operation, value = MISFITS[key]

    def behave(message: dict) -> list[bytes]:
        return [result(message, value)]

    log = KeptExchanges()
    async with connected(FakePipe(at_calls(behave))) as connection:
        service = connection.service(log)
        with pytest.raises(ContractViolation) as caught:
            await (service.write if operation == "write" else service.search)("ns-1", "x")
    assert caught.value.field == key
    assert f"see `{key}`" in caught.value.detail
    assert f"{operation} (tools/call " in str(caught.value)
    assert log.kept[0].outcome is Outcome.CONTRACT_VIOLATION


async def test_the_capabilities_are_those_of_the_mapped_operations() -> None:
    log = KeptExchanges()
    async with connected(FakePipe(notes_peer())) as connection:
        info = (await connection.service(log).info()).value
    assert (info.name, info.version) == ("notes", "1.0")
    assert info.capabilities == {
        *("MEMORY_WRITE", "MEMORY_UPDATE", "MEMORY_SEARCH", "MEMORY_LIST", "MEMORY_DELETE")
    }
    (kept,) = log.kept
    assert (kept.operation, kept.method) == ("capabilities", "tools/list")
    assert isinstance(kept.answer, dict)
    assert kept.answer.keys() == {"initialize", "tools/list"}
    assert isinstance(kept.meaning, dict)
    assert kept.meaning["service"] == {"name": "notes", "version": "1.0"}


async def test_a_mapping_may_know_name_and_version_better() -> None:
    mapping = notes_mapping(name="our notes", version="2.5")
    async with connected(FakePipe(notes_peer()), mapping=mapping) as connection:
        info = (await connection.service(KeptExchanges()).info()).value
    assert (info.name, info.version) == ("our notes", "2.5")


async def test_a_mapped_tool_that_is_not_listed_is_named_with_its_key() -> None:
    operations = {**NOTES["operations"], "delete": {"tool": "drop_nte", "arguments": {"n": "{id}"}}}
    mapping = notes_mapping(operations=operations)
    async with connected(FakePipe(notes_peer()), mapping=mapping) as connection:
        with pytest.raises(ContractViolation, match="drop_note") as caught:
            await connection.service(KeptExchanges()).info()
    assert caught.value.field == "service.operations.delete.tool"
    assert "'drop_nte'" in caught.value.detail


async def test_an_operation_without_a_mapping_is_not_offered_and_nothing_is_sent() -> None:
    pipe, log = FakePipe(notes_peer()), KeptExchanges()
    async with connected(pipe) as connection:
        with pytest.raises(NotOffered):
            await connection.service(log).consolidate("ns-1")
    assert not pipe.calls
    assert not log.kept


async def test_deleting_a_namespace_that_holds_nothing_is_a_success_of_none() -> None:
    nothing = {"content": [{"type": "text", "text": "ns-1 is not there"}], "isError": True}

    def behave(message: dict) -> list[bytes]:
        return [line({"jsonrpc": "2.0", "id": message["id"], "result": nothing})]

    erase = {
        "tool": "drop_note",
        "arguments": {"scope": "{namespace}"},
        "empty": ["{namespace} is not there"],
        "processed": "count",
    }
    mapping = notes_mapping(operations={"delete_namespace": erase})
    async with connected(FakePipe(at_calls(behave)), mapping=mapping) as connection:
        receipt = (await connection.service(KeptExchanges()).delete_namespace("ns-1")).value
    assert (receipt.executed, receipt.processed) == (True, 0)


async def test_a_search_by_topic_asks_for_the_one_word_that_only_the_trial_uses() -> None:
    operations = {**NOTES["operations"]}
    operations["search"] = {**operations["search"], "arguments": {"words": "{topic}"}}
    pipe = FakePipe(notes_peer())
    async with connected(pipe, mapping=notes_mapping(operations=operations)) as connection:
        service = connection.service(KeptExchanges())
        await service.search("ns-1", "access phrase locker willow38523")
        await service.search("ns-1", "no digit here")
    asked = [one["params"]["arguments"]["words"] for one in pipe.taken[-2:]]
    assert asked == ["willow38523", "no digit here"]


async def test_a_further_surface_shows_its_text_whole_and_is_named() -> None:
    surface = {"tool": "find_notes", "arguments": {"words": "{query}"}, "source": "text"}
    async with connected(
        FakePipe(notes_peer()), mapping=notes_mapping(surfaces={"raw": surface})
    ) as connection:
        service = connection.service(KeptExchanges())
        await service.write("ns-1", "the blue key")
        assert list((await service.surfaces("ns-1")).value) == ["raw"]
        (shown,) = (await service.inspect_surface("ns-1", "raw", "blue")).value
    assert "the blue key" in shown.content


async def test_an_id_of_the_callers_choice_is_sent_and_remembered_as_it_is() -> None:
    write = {
        "tool": "add_note",
        "arguments": {"scope": "{id}", "text": "{content}"},
        "own_id": "{namespace}/{new_id}",
    }
    pipe = FakePipe(notes_peer())
    mapping = notes_mapping(operations={"write": write})
    async with connected(pipe, mapping=mapping) as connection:
        written = await connection.service(KeptExchanges()).write("ns-1", "x")
    assert written.value.startswith("ns-1/")
    assert pipe.taken[-1]["params"]["arguments"]["scope"] == written.value
