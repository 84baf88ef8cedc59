"""The verbs that a scenario is written in: each acts, and records what happened.

A verb that makes the rest pointless records its event and raises `TrialOver`; only `run` catches
it.
"""

from collections.abc import Sequence

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.legible import legible, listed
from memtru_ci.domain.looking import MODEL_PROMPT, SEARCH
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.timeline import Action, Manner, Phase
from memtru_ci.errors import ContractViolation
from memtru_ci.ports import Answer
from memtru_ci.trial.calling import Calling
from memtru_ci.trial.deleting import Deleting
from memtru_ci.trial.hold import Hold
from memtru_ci.trial.markers import BYSTANDER_THREAD, MARKER_THREAD, UNRELATED_THREAD, Markers
from memtru_ci.trial.noting import note_model_prompt
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.restarting import Restarting
from memtru_ci.trial.stage import Stage
from memtru_ci.trial.surfaces import LIST

LONGEST_SURFACE_NAME = 512


class Trial:
    """One performance of a scenario."""

    def __init__(
        self,
        stage: Stage,
        markers: Markers,
        contract: DeletionContract,
        *,
        update_never_creates: bool = False,
    ) -> None:
        stage.pair = (markers.marker, markers.bystander)
        self.contract = contract
        self.has_unrelated = False
        self._stage = stage
        self._markers = markers
        self._calling = Calling(stage)
        self._hold = Hold(
            stage, self._calling, markers, contract, update_never_creates=update_never_creates
        )
        self._deleting = Deleting(stage, contract)
        self._restarting = Restarting(stage)

    @property
    def has_control(self) -> bool:
        """Whether the hold control was performed."""
        return self._hold.was_proved

    @property
    def has_create_control(self) -> bool:
        """Whether the create control was performed."""
        return self._hold.has_create_control

    def step(self, text: str) -> None:
        """Go on to the scenario's next numbered step."""
        self._stage.journal.begin_step(text)

    # --- writing --------------------------------------------------------------------------------

    async def write_memory(self) -> str:
        """Write the marker and, the same way, the bystander; the marker's id."""
        markers = self._markers
        memory_id = await self._calling.write(Action.WRITE_MEMORY, markers.marker, MARKER_THREAD)
        await self._calling.write(Action.WRITE_BYSTANDER, markers.bystander, BYSTANDER_THREAD)
        return memory_id

    async def record_conversation(self) -> None:
        """Tell marker and bystander in conversations of their own."""
        markers = self._markers
        await self._calling.tell(
            Phase.CREATE, Action.RECORD_CONVERSATION, markers.marker, MARKER_THREAD
        )
        await self._calling.tell(
            Phase.CREATE, Action.RECORD_BYSTANDER, markers.bystander, BYSTANDER_THREAD
        )

    async def ingest(self) -> None:
        """Run one ingestion before the delete, so that memories are derived."""
        await self._calling.ingestion(Phase.CREATE, Action.INGEST, Action.INGEST)

    # --- looking --------------------------------------------------------------------------------

    async def confirm_retrievable(self, *, source_is_kept: bool = False) -> None:
        """The positive control: every surface shows marker and bystander; search must.

        Where the source is kept on purpose, what the model is shown of it is no finding: it is
        noted at the end (catalogue, rule 19).
        """
        await self._discover_surfaces()
        if source_is_kept:
            self._stage.surfaces.leave_out(MODEL_PROMPT)
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
            self._surfaces,
            lambda found: f"further surfaces: {listed(found) or 'none'}",
            optional=True,
        )
        stage.surfaces.add(names or ())

    async def _surfaces(self) -> Answer[Sequence[str]]:
        """The further surfaces; every one of them is watched, so that each needs a fit name."""
        answer = await self._stage.service.surfaces(self._stage.namespace)
        for number, name in enumerate(answer.value):
            is_taken = name in (SEARCH, LIST, *answer.value[:number])
            if is_taken or not 0 < len(name) <= LONGEST_SURFACE_NAME:
                why = "is taken" if is_taken else f"has {len(name)} characters, not 1 to 512"
                raise ContractViolation(
                    "GET /lifecycle/surfaces",
                    f"the name of a surface {why}: {legible(name, 60)}",
                    answer.steps,
                    field="surfaces[].name",
                )
        return answer

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

    async def note_model_prompt(self) -> None:
        """Say whether the model was shown the deleted text, where its source is kept."""
        await note_model_prompt(self._stage)

    # --- deleting -------------------------------------------------------------------------------

    async def delete(self, memory_id: str) -> None:
        """Delete the memory, or its thread, as the deletion contract has it."""
        await self._deleting.delete(memory_id)

    async def delete_derived(self) -> None:
        """Delete every record, found by search or list, whose content shows the marker."""
        await self._deleting.delete_derived()

    # --- lifecycle events -----------------------------------------------------------------------

    async def prove_no_create(self) -> None:
        """The create control, where the gate itself holds writes: an update is no create."""
        await self._hold.prove_no_create()

    async def begin_pending_write(self, memory_id: str) -> None:
        """Start an update of the memory, carrying the marker whole, and hold it in flight."""
        await self._hold.begin(memory_id)

    async def release_pending_writes(self) -> None:
        """Let the held update complete exactly as the system would."""
        await self._hold.release()

    async def release_quietly(self) -> None:
        """Release a write that is still held because the trial ends early."""
        await self._hold.release_quietly()

    async def prove_hold(self) -> None:
        """The hold control: a held update of a living record arrives once released."""
        await self._hold.prove()

    async def start_session_if_supported(self) -> None:
        """Begin a new session and watch every surface."""
        stage = self._stage
        if not stage.offer.has(Capability.LIFECYCLE_NEW_SESSION):
            return
        ran = await self._calling.hook(
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
        await self._calling.tell(
            Phase.LIFECYCLE, Action.RECORD_UNRELATED, unrelated, UNRELATED_THREAD
        )
        await self._calling.ingestion(Phase.LIFECYCLE, Action.CONSOLIDATE, Action.START_SESSION)
        await self._stage.expect(
            Action.CONFIRM_INGESTED, Phase.LIFECYCLE, unrelated, self._stage.namespace
        )

    async def restart_if_supported(self) -> None:
        """Restart the isolated instance, where that can be done, and watch every surface."""
        if await self._restarting.restart_if_supported():
            await self.watch_surfaces(Action.AFTER_RESTART)
