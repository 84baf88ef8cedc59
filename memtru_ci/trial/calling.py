"""The calls that several verbs share: a write, a message, a hook, an ingestion."""

from collections.abc import Awaitable, Callable

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.receipt import HookReceipt, RecordKind
from memtru_ci.domain.timeline import Action, Phase
from memtru_ci.ports import Answer
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.stage import Stage


class Calling:
    """Sends the calls of a trial on its stage."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def write(
        self,
        action: Action,
        marker: Marker,
        thread_id: str,
        namespace: str | None = None,
    ) -> str:
        stage = self._stage
        where = namespace or stage.namespace
        phase = Phase.PENDING_WRITE if action is Action.CONTROL_WRITE else Phase.CREATE

        async def write() -> Answer[str]:
            with stage.tracked.writing(where):
                return await stage.service.write(where, marker.content, thread_id=thread_id)

        memory_id = await stage.call(
            phase,
            action,
            Capability.MEMORY_WRITE,
            write,
            lambda written: f"memory {written} written",
            namespace=where,
        )
        if memory_id is None:
            raise TrialOver
        stage.tracked.add(where, RecordKind.MEMORY, memory_id)
        return memory_id

    async def tell(self, phase: Phase, action: Action, marker: Marker, thread_id: str) -> None:
        stage = self._stage
        stage.tracked.add(stage.namespace, RecordKind.THREAD, thread_id)
        await stage.call(
            phase,
            action,
            Capability.LIFECYCLE_CONVERSATION,
            lambda: stage.service.record_conversation(stage.namespace, thread_id, [marker.content]),
            lambda receipt: receipt.detail or "a user message was recorded",
        )

    async def hook(
        self,
        phase: Phase,
        action: Action,
        capability: Capability,
        hook: Callable[[str], Awaitable[Answer[HookReceipt]]],
        optional: bool,
    ) -> HookReceipt | None:
        stage = self._stage
        return await stage.call(
            phase,
            action,
            capability,
            lambda: hook(stage.namespace),
            lambda receipt: receipt.detail or f"{action.value} ran",
            optional=optional,
        )

    async def ingestion(self, phase: Phase, cycle: Action, session: Action) -> None:
        stage = self._stage
        has_sessions = stage.offer.has(Capability.LIFECYCLE_NEW_SESSION)
        if stage.offer.has(Capability.LIFECYCLE_CONSOLIDATE):
            ran = await self.hook(
                phase,
                cycle,
                Capability.LIFECYCLE_CONSOLIDATE,
                stage.service.consolidate,
                optional=has_sessions,
            )
            if ran is not None:
                return
        await self.hook(
            phase,
            session,
            Capability.LIFECYCLE_NEW_SESSION,
            stage.service.start_session,
            optional=False,
        )
