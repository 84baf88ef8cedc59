"""The client and the reference service mean the same contract."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from memtru_ci.domain.capability import Capability
from memtru_ci.errors import NoSuchRecord, NotOffered
from memtru_ci.ports import MemoryService
from memtru_ci.reference.app import reference_app
from memtru_ci.services.contract import connect_app
from tests.unit.raw_service import KeptExchanges

pytestmark = pytest.mark.anyio

NS = "team/a b?ü%.."


@asynccontextmanager
async def _service(folder: Path, defect: str | None = None) -> AsyncIterator[MemoryService]:
    async with anyio.create_task_group() as tasks:
        connection = await connect_app(reference_app(folder, defect), tasks)
        assert await connection.healthy()
        yield connection.service(KeptExchanges())
        await connection.aclose()


async def test_a_memory_is_written_found_updated_listed_and_deleted(tmp_path: Path) -> None:
    async with _service(tmp_path) as service:
        memory = (await service.write(NS, "the kestrel sleeps", thread_id="t 1")).value
        await service.update(NS, memory, "the kestrel wakes")

        found = (await service.search(NS, "kestrel")).value
        assert [(one.id, one.content) for one in found] == [(memory, "the kestrel wakes")]
        assert [one.id for one in (await service.list(NS)).value] == [memory]
        assert (await service.search("other", "kestrel")).value == ()

        assert (await service.delete(NS, memory)).value in (200, 202, 204)
        with pytest.raises(NoSuchRecord):
            await service.delete(NS, memory)
        with pytest.raises(NoSuchRecord):
            await service.update(NS, memory, "again")


async def test_a_list_longer_than_a_page_is_read_to_its_end(tmp_path: Path) -> None:
    async with _service(tmp_path) as service:
        for number in range(130):
            await service.write(NS, f"thing {number}")

        answer = await service.list(NS)

    assert len({one.id for one in answer.value}) == 130
    assert len(answer.steps) > 1


async def test_every_hook_gives_a_receipt(tmp_path: Path) -> None:
    async with _service(tmp_path) as service:
        info = (await service.info()).value
        memory = (await service.write(NS, "one", thread_id="t1")).value
        held = await service.begin_pending_write(NS, "two", target_id=memory, thread_id="t1")
        released = await service.release_pending_writes(NS)
        told = await service.record_conversation(NS, "t1", ["Please remember: three."])
        cycles = [await service.start_session(NS), await service.consolidate(NS)]
        cleared = [await service.delete_thread(NS, "t1"), await service.delete_namespace(NS)]

    assert Capability.LIFECYCLE_PENDING_WRITES in info.capabilities
    assert all(one.value.executed for one in [held, released, told, *cycles, *cleared])
    assert released.value.processed == 1


async def test_further_surfaces_are_named_and_read(tmp_path: Path) -> None:
    async with _service(tmp_path) as service:
        await service.write(NS, "the kestrel sleeps")
        await service.consolidate(NS)
        names = (await service.surfaces(NS)).value
        shown = await service.inspect_surface(NS, "profile", "kestrel")

        assert "profile" in names
        assert isinstance(shown.value, tuple)
        with pytest.raises(NoSuchRecord):
            await service.inspect_surface(NS, "../search", "kestrel")


async def test_what_the_reference_does_not_offer_is_told_apart_from_an_error(
    tmp_path: Path,
) -> None:
    async with _service(tmp_path) as service:
        with pytest.raises(NotOffered):
            await service.restart()
