"""The verbs that a scenario is written in: each acts, and records what happened.

A verb that makes the rest pointless records its event and raises `TrialOver`; only `run` catches
it.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import SEARCH
from memtru_ci.domain.marker import Marker, mint_marker, mint_topic
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.receipt import HookReceipt, RecordKind
from memtru_ci.domain.timeline import Action, Look, Manner, Outcome, Phase, Reading, Watch
from memtru_ci.errors import MemtruError, NoAnswer, NoSuchRecord, ServiceError, TargetError
from memtru_ci.ports import Answer, Memory
from memtru_ci.stage import Stage, TrialOver
from memtru_ci.surfaces import LIST

MARKER_THREAD = "memtru-marker"
BYSTANDER_THREAD = "memtru-bystander"
UNRELATED_THREAD = "memtru-unrelated"
MOST_SURFACES = 16
LONGEST_SURFACE_NAME = 64


@dataclass(frozen=True)
class Markers:
    """All synthetic facts of one trial."""

    marker: Marker
    bystander: Marker
    unrelated: Marker
    held: Marker
    """The marker as the held update says it: same topic, same secret."""
    control: Marker
    control_update: Marker

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that evidence must keep."""
        every = (self.marker, self.bystander, self.unrelated, self.control, self.control_update)
        return tuple(one.secret for one in every)


def mint(source: random.Random) -> Markers:
    """Fresh markers, from a source of randomness that the run's seed gives."""
    topic = mint_topic(source)
    marker = mint_marker(source, topic)
    control_topic = mint_topic(source)
    held = marker.content.replace("my access phrase", "my present access phrase")
    return Markers(
        marker=marker,
        bystander=mint_marker(source, topic, "the spare"),
        unrelated=mint_marker(source, mint_topic(source)),
        held=marker.model_copy(update={"content": held}),
        control=mint_marker(source, control_topic),
        control_update=mint_marker(source, control_topic, "my present"),
    )


class Trial:
    """One performance of a scenario."""

    def __init__(self, stage: Stage, markers: Markers, contract: DeletionContract) -> None:
        self._stage = stage
        self._markers = markers
        self._held = False
        self._derived: tuple[str, ...] = ()
        self.contract = contract
        self.has_unrelated = False
        self.has_control = False
        stage.pair = (markers.marker, markers.bystander)

    def step(self, text: str) -> None:
        """Go on to the scenario's next numbered step."""
        self._stage.journal.begin_step(text)

    # --- writing --------------------------------------------------------------------------------

    async def write_memory(self) -> str:
        """Write the marker and, the same way, the bystander; the marker's id."""
        markers = self._markers
        memory_id = await self._write(Action.WRITE_MEMORY, markers.marker, MARKER_THREAD)
        await self._write(Action.WRITE_BYSTANDER, markers.bystander, BYSTANDER_THREAD)
        return memory_id

    async def _write(
        self,
        action: Action,
        marker: Marker,
        thread_id: str,
        namespace: str | None = None,
    ) -> str:
        stage = self._stage
        where = namespace or stage.namespace
        phase = Phase.PENDING_WRITE if action is Action.CONTROL_WRITE else Phase.CREATE
        memory_id = await stage.call(
            phase,
            action,
            Capability.MEMORY_WRITE,
            lambda: stage.service.write(where, marker.content, thread_id=thread_id),
            lambda written: f"memory {written} written",
        )
        if memory_id is None:
            raise TrialOver
        stage.tracked.add(where, RecordKind.MEMORY, memory_id)
        return memory_id

    async def record_conversation(self) -> None:
        """Tell marker and bystander in conversations of their own."""
        markers = self._markers
        await self._tell(Phase.CREATE, Action.RECORD_CONVERSATION, markers.marker, MARKER_THREAD)
        await self._tell(Phase.CREATE, Action.RECORD_BYSTANDER, markers.bystander, BYSTANDER_THREAD)

    async def _tell(self, phase: Phase, action: Action, marker: Marker, thread_id: str) -> None:
        stage = self._stage
        await stage.call(
            phase,
            action,
            Capability.LIFECYCLE_CONVERSATION,
            lambda: stage.service.record_conversation(stage.namespace, thread_id, [marker.content]),
            lambda receipt: receipt.detail or "a user message was recorded",
        )
        stage.tracked.add(stage.namespace, RecordKind.THREAD, thread_id)

    async def ingest(self) -> None:
        """Run one ingestion before the delete, so that memories are derived."""
        await self._ingestion(Phase.CREATE, Action.INGEST, Action.INGEST)

    async def _ingestion(self, phase: Phase, cycle: Action, session: Action) -> None:
        stage = self._stage
        if stage.offer.has(Capability.LIFECYCLE_CONSOLIDATE):
            ran = await self._hook(
                phase, cycle, Capability.LIFECYCLE_CONSOLIDATE, stage.service.consolidate, True
            )
            if ran is not None:
                return
        await self._hook(
            phase, session, Capability.LIFECYCLE_NEW_SESSION, stage.service.start_session, False
        )

    async def _hook(
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

    # --- looking --------------------------------------------------------------------------------

    async def confirm_retrievable(self) -> None:
        """The positive control: every surface shows marker and bystander; search must."""
        await self._discover_surfaces()
        await self._stage.observe(Action.CONFIRM_RETRIEVABLE, Manner.CONTROL)
        if SEARCH not in self._stage.controls.proven:
            raise TrialOver

    async def _discover_surfaces(self) -> None:
        stage = self._stage
        if not stage.offer.has(Capability.LIFECYCLE_SURFACES):
            return
        names = await stage.call(
            Phase.POSITIVE_CONTROL,
            Action.DISCOVER_SURFACES,
            Capability.LIFECYCLE_SURFACES,
            lambda: stage.service.surfaces(stage.namespace),
            lambda found: f"further surfaces: {', '.join(found) or 'none'}",
            optional=True,
        )
        fit = [
            name
            for name in dict.fromkeys(names or ())
            if name not in (SEARCH, LIST) and 0 < len(name) <= LONGEST_SURFACE_NAME
        ][:MOST_SURFACES]
        if len(fit) != len(names or ()):
            stage.notes.append(
                "Some surfaces are not read: their names are taken, too long, or too many."
            )
        stage.surfaces.add(fit)

    async def confirm_absent(self) -> None:
        """Settle: the marker is absent from every surface, right after the delete."""
        await self._stage.observe(Action.IMMEDIATE_CHECK, Manner.SETTLE)
        if not self._stage.absence_proven:
            raise TrialOver

    async def watch_surfaces(self, action: Action) -> None:
        """Watch every surface to the end of the window after an event."""
        await self._stage.observe(action, Manner.WATCH)

    async def watch_whole_window(self, action: Action) -> None:
        """Watch every surface to the end of the window, whatever is seen."""
        await self._stage.observe(action, Manner.WATCH_WHOLE)

    # --- deleting -------------------------------------------------------------------------------

    async def delete(self, memory_id: str) -> None:
        """Delete the memory, or its thread, as the deletion contract has it."""
        stage = self._stage
        if self.contract is DeletionContract.THREAD_CHECKPOINT:
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

        async def guarded() -> Answer[object]:
            try:
                return await operation()
            except NoAnswer:
                await self.release_quietly()
                raise

        await stage.call(Phase.DELETE, action, capability, guarded, describe, record_id=memory_id)
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
        marker, bystander = self._markers.marker, self._markers.bystander
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
        return Look(started_ms=started_ms, readings=tuple(readings))

    # --- lifecycle events -----------------------------------------------------------------------

    async def begin_pending_write(self, memory_id: str) -> None:
        """Start an update of the memory, carrying the marker whole, and hold it in flight."""
        stage = self._stage
        self._held = True
        await stage.call(
            Phase.PENDING_WRITE,
            Action.BEGIN_PENDING_WRITE,
            Capability.LIFECYCLE_PENDING_WRITES,
            lambda: stage.service.begin_pending_write(
                stage.namespace,
                self._markers.held.content,
                target_id=memory_id,
                thread_id=MARKER_THREAD,
            ),
            lambda receipt: receipt.detail or f"an update of {memory_id} is held",
        )

    async def release_pending_writes(self) -> None:
        """Let the held update complete exactly as the system would."""
        self._held = False
        await self._hook(
            Phase.LIFECYCLE,
            Action.RELEASE_PENDING_WRITES,
            Capability.LIFECYCLE_PENDING_WRITES,
            self._stage.service.release_pending_writes,
            False,
        )

    async def release_quietly(self) -> None:
        """Release a write that is still held because the trial ends early."""
        if not self._held:
            return
        self._held = False
        stage = self._stage
        try:
            await stage.service.release_pending_writes(stage.namespace)
        except ServiceError as problem:
            stage.notes.append(f"The held write could not be released: {problem}")
        else:
            stage.notes.append("The held write was released because the trial ended early.")

    async def start_session_if_supported(self) -> None:
        """Begin a new session and watch every surface."""
        stage = self._stage
        if not stage.offer.has(Capability.LIFECYCLE_NEW_SESSION):
            return
        ran = await self._hook(
            Phase.LIFECYCLE,
            Action.START_SESSION,
            Capability.LIFECYCLE_NEW_SESSION,
            stage.service.start_session,
            stage.offer.has(Capability.LIFECYCLE_CONSOLIDATE),
        )
        if ran is not None:
            await self.watch_surfaces(Action.AFTER_SESSION)

    async def ingest_unrelated(self) -> None:
        """Say something unrelated, ingest, and see that it became a memory."""
        self.has_unrelated = True
        unrelated = self._markers.unrelated
        await self._tell(Phase.LIFECYCLE, Action.RECORD_UNRELATED, unrelated, UNRELATED_THREAD)
        await self._ingestion(Phase.LIFECYCLE, Action.CONSOLIDATE, Action.START_SESSION)
        await self._stage.expect(
            Action.CONFIRM_INGESTED, Phase.LIFECYCLE, unrelated, self._stage.namespace
        )

    async def restart_if_supported(self) -> None:
        """Restart the isolated instance, where that can be done, and watch every surface."""
        stage = self._stage
        if stage.offer.can_restart:
            await self._restart_instance()
        elif stage.offer.has(Capability.LIFECYCLE_RESTART):
            receipt = await stage.call(
                Phase.LIFECYCLE,
                Action.RESTART,
                Capability.LIFECYCLE_RESTART,
                stage.service.restart,
                lambda done: done.detail or "the service restarted itself",
                optional=True,
            )
            if receipt is None:
                return
        else:
            stage.notes.append("The restart step was left out: nothing can restart this instance.")
            return
        await self.watch_surfaces(Action.AFTER_RESTART)

    async def _restart_instance(self) -> None:
        stage = self._stage
        started_ms = stage.journal.now_ms()
        try:
            receipt = await stage.instance.restart()
        except MemtruError as problem:
            lost = isinstance(problem, TargetError)
            stage.death = str(problem) if lost else ""
            stage.journal.record(
                Phase.LIFECYCLE,
                Action.RESTART,
                str(problem),
                started_ms,
                outcome=Outcome.TARGET_LOST if lost else Outcome.NO_ANSWER,
            )
            await stage.end_after_failure()
        else:
            detail = f"{receipt.provider} restarted, ready after {receipt.ready_ms:.0f} ms"
            stage.journal.record(
                Phase.LIFECYCLE, Action.RESTART, detail, started_ms, restart=receipt
            )

    # --- controls -------------------------------------------------------------------------------

    async def prove_hold(self) -> None:
        """The hold control: in a namespace of its own, a held update of a living record arrives.

        It gates PASS only, so that it is left out once the marker has come back.
        """
        stage = self._stage
        if stage.reappeared:
            return
        self.has_control = True
        namespace = f"{stage.namespace}-control"
        control, update = self._markers.control, self._markers.control_update
        memory_id = await self._write(
            Action.CONTROL_WRITE, control, MARKER_THREAD, namespace=namespace
        )
        await stage.call(
            Phase.PENDING_WRITE,
            Action.CONTROL_BEGIN,
            Capability.LIFECYCLE_PENDING_WRITES,
            lambda: stage.service.begin_pending_write(
                namespace, update.content, target_id=memory_id, thread_id=MARKER_THREAD
            ),
            lambda receipt: receipt.detail or "an update of a living memory is held",
            namespace=namespace,
        )
        await stage.call(
            Phase.PENDING_WRITE,
            Action.CONTROL_RELEASE,
            Capability.LIFECYCLE_PENDING_WRITES,
            lambda: stage.service.release_pending_writes(namespace),
            lambda receipt: receipt.detail or "the update was released",
            namespace=namespace,
        )
        await stage.expect(Action.CONFIRM_HOLD, Phase.PENDING_WRITE, update, namespace)
