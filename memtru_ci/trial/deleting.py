"""The delete of a trial: one memory, a thread, or all that was derived from a conversation."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import SEARCH
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.timeline import Action, Look, Manner, Outcome, Phase, Reading, Watch
from memtru_ci.errors import NoSuchRecord, ServiceError
from memtru_ci.ports import Answer, Memory
from memtru_ci.trial.markers import MARKER_THREAD
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.stage import Stage
from memtru_ci.trial.surfaces import LIST, look_of


class Deleting:
    """Deletes by one deletion contract."""

    def __init__(self, stage: Stage, contract: DeletionContract) -> None:
        self._stage = stage
        self._contract = contract

    async def delete(self, memory_id: str) -> None:
        """Delete the memory, or its thread, as the deletion contract has it."""
        stage = self._stage
        if self._contract is DeletionContract.THREAD_CHECKPOINT:
            await self._delete_by(
                Action.DELETE_THREAD,
                Capability.THREAD_DELETE,
                lambda: stage.service.delete_thread(stage.namespace, MARKER_THREAD),
                lambda receipt: receipt.detail or f"thread {MARKER_THREAD} deleted",
            )
            return
        await self._delete_memory(memory_id)

    async def _delete_memory(self, memory_id: str) -> None:
        stage = self._stage
        await self._delete_by(
            Action.DELETE,
            Capability.MEMORY_DELETE,
            lambda: stage.service.delete(stage.namespace, memory_id),
            lambda status: f"memory {memory_id} deleted, answered {status}",
            memory_id,
        )

    async def _delete_by(
        self,
        action: Action,
        capability: Capability,
        operation: Callable[[], Awaitable[Answer[object]]],
        describe: Callable[..., str],
        memory_id: str | None = None,
    ) -> None:
        stage = self._stage
        await stage.call(Phase.DELETE, action, capability, operation, describe, record_id=memory_id)
        stage.acknowledged()

    async def delete_derived(self) -> None:
        """Delete every record, found by search or list, whose content shows the marker."""
        ids = await self._find_derived()
        for number, memory_id in enumerate(ids):
            if number == 0:
                await self._delete_memory(memory_id)
            else:
                await self._delete_further(memory_id)

    async def _delete_further(self, memory_id: str) -> None:
        stage = self._stage
        started_ms = stage.journal.now_ms()
        try:
            answer = await stage.service.delete(stage.namespace, memory_id)
        except NoSuchRecord as gone:
            steps, detail = gone.steps, f"memory {memory_id} is gone already"
        except ServiceError as problem:
            await stage.fail(
                Phase.DELETE,
                Action.DELETE,
                Capability.MEMORY_DELETE,
                problem,
                started_ms,
                record_id=memory_id,
            )
            return
        else:
            steps, detail = answer.steps, f"memory {memory_id} deleted, answered {answer.value}"
        stage.journal.record(
            Phase.DELETE,
            Action.DELETE,
            detail,
            started_ms,
            evidence_steps=steps,
            record_id=memory_id,
        )
        stage.acknowledged()

    async def _find_derived(self) -> tuple[str, ...]:
        """Ids of the derived records, by one look at search and list."""
        stage = self._stage
        marker, bystander = stage.pair
        started_ms = stage.journal.now_ms()
        found: dict[str, None] = {}

        def seen(memories: Sequence[Memory]) -> tuple[bool, bool]:
            hits = [one for one in memories if marker.shown_in([one.content])]
            found.update((one.id, None) for one in hits if one.id)
            return bool(hits), bystander.shown_in(one.content for one in hits)

        names = [one for one in stage.surfaces.names if one in (SEARCH, LIST)]
        looks: list[Look] = []
        while not (looks and all(one.outcome is Outcome.DONE for one in looks[-1].readings)):
            if looks and stage.journal.now_ms() - started_ms > stage.window_ms:
                break
            looks.append(await self._look_for_records(names, marker, seen))
        readings = looks[-1].readings
        watch = Watch(
            manner=Manner.CONTROL,
            window_ms=stage.window_ms,
            since_ms=started_ms,
            looks=tuple(looks),
        )
        stage.journal.record(
            Phase.DELETE,
            Action.FIND_DERIVED,
            f"{len(found)} derived record(s) hold the marker",
            started_ms,
            evidence_steps=tuple(step for one in readings for step in one.evidence_steps),
            watch=watch,
        )
        if not found or any(one.bystander for one in readings):
            raise TrialOver
        return tuple(found)

    async def _look_for_records(
        self,
        names: Sequence[str],
        marker: Marker,
        seen: Callable[[Sequence[Memory]], tuple[bool, bool]],
    ) -> Look:
        stage = self._stage
        await stage.pause()
        started_ms = stage.journal.now_ms()
        readings: list[Reading] = []
        for name in names:
            read = partial(stage.surfaces.results, name, marker.query)
            readings.append(await stage.surfaces.reading(name, read, seen))
        return look_of(readings, started_ms)
