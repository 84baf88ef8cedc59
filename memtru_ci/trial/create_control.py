"""The create control: does an update of a record that was deleted make it anew (rule 10)?"""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import SEARCH, controls_of, settled_row
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.timeline import Action, Phase, Watch
from memtru_ci.trial.calling import Calling
from memtru_ci.trial.late import late_write, updated
from memtru_ci.trial.markers import BYSTANDER_THREAD, MARKER_THREAD, Markers
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.stage import Stage
from memtru_ci.trial.watching import How


class CreateControl:
    """Comes before a write is held by the gate: a held create would prove nothing."""

    def __init__(self, stage: Stage, calling: Calling, markers: Markers) -> None:
        self._stage = stage
        self._calling = calling
        self._markers = markers
        self._namespace = f"{stage.namespace}-create"

    async def perform(self) -> None:
        """Write, delete, update, in a namespace of its own; ends the trial where that creates."""
        markers, stage = self._markers, self._stage
        written = (markers.created, markers.created_bystander)
        memory_id = await self._write()
        shown = await self._look(
            Action.CREATE_CONTROL_CONFIRM,
            written,
            lambda watcher: watcher.control(lambda: frozenset({SEARCH})),
        )
        controls = controls_of(shown.looks)
        await stage.call(
            Phase.PENDING_WRITE,
            Action.CREATE_CONTROL_DELETE,
            Capability.MEMORY_DELETE,
            lambda: stage.service.delete(self._namespace, memory_id),
            lambda status: f"memory {memory_id} deleted, answered {status}",
            namespace=self._namespace,
            record_id=memory_id,
        )
        gone = await self._look(
            Action.CREATE_CONTROL_ABSENT, written, lambda watcher: watcher.settle(controls)
        )
        if not settled_row(gone.looks, controls):
            raise TrialOver
        was_refused = await self._update(memory_id)
        after = await self._look(
            Action.CONFIRM_NO_CREATE,
            (markers.created_update, markers.created_bystander),
            lambda watcher: (
                watcher.settle(controls) if was_refused else watcher.watch(controls, 0.0)
            ),
        )
        if any(one.marker for look in after.looks for one in look.readings):
            raise TrialOver

    async def _write(self) -> str:
        markers = self._markers
        memory_id = await self._calling.write(
            Action.CREATE_CONTROL_WRITE, markers.created, MARKER_THREAD, self._namespace
        )
        await self._calling.write(
            Action.CREATE_CONTROL_BYSTANDER,
            markers.created_bystander,
            BYSTANDER_THREAD,
            self._namespace,
        )
        return memory_id

    async def _update(self, memory_id: str) -> bool:
        """Update the deleted memory; whether that was refused."""
        stage, update = self._stage, self._markers.created_update
        return await late_write(
            stage,
            Action.CREATE_CONTROL_UPDATE,
            lambda: updated(stage, stage.service, self._namespace, memory_id, update.content),
        )

    async def _look(self, action: Action, pair: tuple[Marker, Marker], how: How) -> Watch:
        return await self._stage.watching.aside(
            action,
            Phase.PENDING_WRITE,
            self._namespace,
            pair,
            how,
            lambda _: "looked at search in a namespace of its own",
        )
