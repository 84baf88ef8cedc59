"""The reference service through a REST mapping of the contract: the same verdicts as through it.

A mapping can hide a fault or make one up. Here both ways lead to the same service, so that every
difference is the mapping's.
"""

import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.domain.derive import derived
from memtru_ci.domain.judge import judge
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.ports import ExchangeLog, MemoryService
from memtru_ci.reference.app import reference_app
from memtru_ci.run import Run
from memtru_ci.scenarios import ALONE, PROMISES
from memtru_ci.services.contract import Connection, connect_app
from memtru_ci.services.rest.dialect import RestDialect
from memtru_ci.services.rest.mapping import RestMapping, RestService, resolved
from memtru_ci.targets.embedded import EmbeddedInstance, EmbeddedTarget
from tests.fakes import RecordingProgress
from tests.matrix.expectations import CORRECT, MATRIX, SCENARIOS, window_ms

pytestmark = pytest.mark.anyio

CONTRACT: dict[str, Any] = {
    "kind": "rest",
    "name": "memtru-reference",
    "version": {"path": "/capabilities", "value": "service.version"},
    "operations": {
        "write": {
            "method": "POST",
            "path": "/memories",
            "body": {
                "namespace": "{namespace}",
                "content": "{content}",
                "thread_id": "{thread_id}",
            },
            "id": "id",
        },
        "update": {
            "method": "PUT",
            "path": "/memories/{id}",
            "body": {"namespace": "{namespace}", "content": "{content}"},
        },
        "search": {
            "method": "POST",
            "path": "/memories/search",
            "body": {"namespace": "{namespace}", "query": "{query}", "limit": "{limit}"},
            "results": "results",
            "content": "content",
            "result_id": "id",
        },
        "list": {
            "method": "GET",
            "path": "/memories",
            "query": {"namespace": "{namespace}", "limit": "{limit}", "cursor": "{cursor}"},
            "results": "results",
            "content": "content",
            "result_id": "id",
            "next": {"cursor": "next_cursor"},
        },
        "delete": {
            "method": "DELETE",
            "path": "/memories/{id}",
            "query": {"namespace": "{namespace}"},
        },
        "delete_namespace": {"method": "DELETE", "path": "/namespaces/{namespace}"},
        "record_conversation": {
            "method": "POST",
            "path": "/lifecycle/conversations",
            "body": {
                "namespace": "{namespace}",
                "thread_id": "{thread_id}",
                "messages": "{messages}",
            },
            "ok": "executed",
            "processed": "processed",
        },
        "start_session": {
            "method": "POST",
            "path": "/lifecycle/sessions",
            "body": {"namespace": "{namespace}"},
            "ok": "executed",
        },
        "consolidate": {
            "method": "POST",
            "path": "/lifecycle/consolidate",
            "body": {"namespace": "{namespace}"},
            "ok": "executed",
        },
    },
    "surfaces": {
        "profile": {
            "method": "POST",
            "path": "/lifecycle/surfaces/profile",
            "body": {"namespace": "{namespace}", "query": "{query}"},
            "results": "results",
            "content": "content",
        }
    },
}
MAPPING: RestMapping = resolved(RestService.model_validate(CONTRACT))


class MappedConnection:
    """Speaks through the mapping; its end is that of the application."""

    def __init__(self, app: Any, inner: Connection) -> None:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._rest = RestDialect(MAPPING, transport=transport).connect("http://embedded")
        self._inner = inner

    def service(self, log: ExchangeLog) -> MemoryService:
        return self._rest.service(log)

    async def healthy(self, path: str) -> bool:
        return await self._rest.healthy(path)

    async def aclose(self) -> None:
        await self._inner.aclose()


class MappedInstance(EmbeddedInstance):
    """The reference service, spoken to through the mapping."""

    async def open(self) -> None:
        self._started_at = f"start {random.random()}"
        app = reference_app(self._folder, self._defect, **self._options)
        self._link.keep(MappedConnection(app, await connect_app(app, self._tasks)))


class MappedTarget(EmbeddedTarget):
    """Starts instances that are spoken to through the mapping."""

    @asynccontextmanager
    async def started(self) -> AsyncIterator[EmbeddedInstance]:
        with tempfile.TemporaryDirectory() as folder:
            async with anyio.create_task_group() as tasks:
                instance = MappedInstance(folder, self._defect, self._options, tasks)
                await instance.open()
                yield instance
                await instance.close()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def _result(scenario: str, defect: str) -> ScenarioResult:
    (chosen,) = (one for one in ALONE if one.id == scenario)
    run = Run(
        MappedTarget(None if defect == CORRECT else defect),
        [chosen],
        window_ms=window_ms(defect),
        seed=7,
        clock=MonotonicClock(),
        progress=RecordingProgress(),
    )
    await run.perform()
    run.conclude()
    (result,) = run.results
    return result


PAIRS = [
    ("MT-AF-002", CORRECT),
    ("MT-AF-002", "no_tombstones"),
    ("MT-AF-002", "history_reingestion"),
    ("MT-AF-002", "consolidation_only"),
    ("MT-AF-002", "search_breaks_after_event"),
    ("MT-DEL-003", CORRECT),
    ("MT-DEL-003", "delayed"),
    ("MT-DEL-003", "delete_ignored"),
    ("MT-DEL-003", "deletes_everything"),
]


@pytest.mark.parametrize(("scenario", "defect"), PAIRS)
async def test_a_mapping_of_the_contract_gives_the_contracts_verdict(
    scenario: str, defect: str
) -> None:
    result = await _result(scenario, defect)
    expected = MATRIX[defect][SCENARIOS.index(scenario)]
    assert (result.verdict, result.cause, result.trigger) == tuple(expected), result.reason
    assert result.record is not None
    assert any(one.meaning is not None for one in result.record.evidence)


async def test_a_saved_record_of_a_mapped_service_is_judged_the_same_again() -> None:
    result = await _result("MT-AF-002", "history_reingestion")
    assert result.record is not None
    again = judge(PROMISES["MT-AF-002"], derived(result.record))
    assert (again.verdict, again.cause, again.trigger) == (
        result.verdict,
        result.cause,
        result.trigger,
    )
