"""Ids that differ between add and delete are found by a read, once, and never by the secret."""

from typing import Any

import pytest

from memtru_ci.errors import ContractViolation, NoSuchRecord
from tests.unit.raw_service import KeptExchanges
from tests.unit.rest_app import RestApp, Seen, connected, mapping_of

pytestmark = pytest.mark.anyio

CONTENT = "Please remember: my phrase for locker k1 is s3cr3t."


def _by(read: str, **keys: Any) -> dict[str, Any]:
    resolve = {"by": read, "id": "memory_id", **keys}
    return {"delete": {"resolve": resolve}, "update": {"resolve": resolve}}


def _documents(*found: dict[str, Any]) -> RestApp:
    """A service whose writes give documents, and whose reads show memories."""

    def answer(seen: Seen) -> tuple[int, Any]:
        if seen.line.startswith("POST"):
            return 201, {"note": {"id": "doc-1"}}
        if seen.line.startswith("GET"):
            return 200, {"notes": list(found), "hits": list(found)}
        return 200, {}

    return RestApp(answer)


MINE = {"id": "r1", "memory_id": "mem-1", "document": "doc-1", "text": f"User said: {CONTENT}"}
OTHER = {"id": "r2", "memory_id": "mem-2", "document": "doc-2", "text": "something else"}


async def test_the_record_is_the_one_that_holds_what_was_written() -> None:
    app, log = _documents(OTHER, MINE), KeptExchanges()
    service = connected(app, mapping_of(_by("list"))).service(log)
    written = await service.write("ns", CONTENT)
    deleted = await service.delete("ns", written.value)
    assert app.lines[1:] == ["GET /v1/ns/notes", "DELETE /v1/ns/notes/mem-1"]
    assert deleted.steps == (2, 3)
    assert [one.surface for one in log.kept] == [None, None, None]


async def test_or_the_one_that_names_the_id_of_the_write() -> None:
    app = _documents({**MINE, "text": "reworded by a model"}, OTHER)
    service = connected(app, mapping_of(_by("list", match="document"))).service(KeptExchanges())
    await service.delete("ns", (await service.write("ns", CONTENT)).value)
    assert app.lines[-1] == "DELETE /v1/ns/notes/mem-1"


async def test_an_id_is_found_once_and_for_all_operations_and_connections() -> None:
    app = _documents(MINE)
    connection = connected(app, mapping_of(_by("list")))
    service = connection.service(KeptExchanges())
    written = (await service.write("ns", CONTENT)).value
    await service.delete("ns", written)
    reads = len([one for one in app.lines if one.startswith("GET")])
    again = connection.service(KeptExchanges())
    await again.update("ns", written, "late")
    await again.delete("ns", written)
    assert app.lines[-2:] == ["PATCH /v1/ns/notes/mem-1", "DELETE /v1/ns/notes/mem-1"]
    assert len([one for one in app.lines if one.startswith("GET")]) == reads


async def test_a_search_asks_what_was_asked_before_and_never_for_the_secret() -> None:
    app = _documents(MINE, OTHER)
    service = connected(app, mapping_of(_by("search"))).service(KeptExchanges())
    written = (await service.write("ns", CONTENT)).value
    await service.search("ns", "phrase locker k1")
    await service.delete("ns", written)
    assert app.lines[-1] == "DELETE /v1/ns/notes/mem-1"
    assert all("s3cr3t" not in line for line in app.lines)
    assert app.lines[1].split("&")[0] == app.lines[2].split("&")[0]


async def test_a_search_asks_for_the_id_where_nothing_was_asked_before() -> None:
    app = _documents(MINE)
    service = connected(app, mapping_of(_by("search"))).service(KeptExchanges())
    await service.delete("ns", (await service.write("ns", CONTENT)).value)
    assert app.lines[1].startswith("GET /v1/ns/find?q=doc-1&")


async def test_an_id_that_a_read_gave_needs_no_other_read() -> None:
    app = _documents(OTHER)
    service = connected(app, mapping_of(_by("list"))).service(KeptExchanges())
    (derived,) = (await service.list("ns")).value
    await service.delete("ns", derived.id)
    assert app.lines == ["GET /v1/ns/notes", "DELETE /v1/ns/notes/mem-2"]


async def test_an_id_of_a_write_is_never_taken_for_the_same_id_of_a_read() -> None:
    app = _documents({**OTHER, "id": "doc-1"}, {**MINE, "id": "doc-9"})
    service = connected(app, mapping_of(_by("list"))).service(KeptExchanges())
    written = (await service.write("ns", CONTENT)).value
    await service.list("ns")
    await service.delete("ns", written)
    assert app.lines[-1] == "DELETE /v1/ns/notes/mem-1"


async def test_what_no_read_shows_is_no_such_record_and_evidence_says_so() -> None:
    app, log = _documents(OTHER), KeptExchanges()
    service = connected(app, mapping_of(_by("list"))).service(log)
    written = (await service.write("ns", CONTENT)).value
    with pytest.raises(NoSuchRecord, match=r"`service.operations.delete.resolve`") as caught:
        await service.delete("ns", written)
    assert caught.value.steps == (2,)
    assert log.kept[-1].meaning == {"no_such_record": True}


async def test_two_records_that_match_are_a_misfit() -> None:
    app = _documents(MINE, {**MINE, "id": "r9"})
    service = connected(app, mapping_of(_by("list"))).service(KeptExchanges())
    written = (await service.write("ns", CONTENT)).value
    with pytest.raises(ContractViolation, match="2 results match") as caught:
        await service.delete("ns", written)
    assert caught.value.field == "service.operations.delete.resolve.match"


async def test_a_result_without_the_id_that_is_wanted_is_a_misfit() -> None:
    app = _documents({"id": "r1", "text": CONTENT})
    service = connected(app, mapping_of(_by("list"))).service(KeptExchanges())
    written = (await service.write("ns", CONTENT)).value
    with pytest.raises(ContractViolation) as caught:
        await service.delete("ns", written)
    assert caught.value.field == "service.operations.delete.resolve.id"
