"""A write held in flight, its release, and the control that shows that the hold delivers."""

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.timeline import Action, Phase
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Answer
from memtru_ci.trial.calling import Calling
from memtru_ci.trial.markers import MARKER_THREAD, Markers
from memtru_ci.trial.stage import Stage


class Hold:
    """Only an update of the deleted id is held (catalogue, rule 10)."""

    def __init__(self, stage: Stage, calling: Calling, markers: Markers) -> None:
        self._stage = stage
        self._calling = calling
        self._markers = markers
        self._held: list[str] = []
        """The namespaces in which a write is held."""
        self.was_proved = False

    async def begin(self, memory_id: str) -> None:
        """Start an update of the memory, carrying the marker whole, and hold it in flight."""
        stage = self._stage
        self._held.append(stage.namespace)
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

    async def release(self) -> None:
        """Let the held update complete exactly as the system would."""
        self._held.clear()
        await self._calling.hook(
            Phase.LIFECYCLE,
            Action.RELEASE_PENDING_WRITES,
            Capability.LIFECYCLE_PENDING_WRITES,
            self._released,
            False,
        )

    async def _released(self, namespace: str) -> Answer[HookReceipt]:
        """Release to the end, within the service's own deadline, also where the run is cancelled.

        A release is never sent twice, so that one that was begun must not be cut short.
        """
        with anyio.CancelScope(shield=True):
            answer = await self._stage.service.release_pending_writes(namespace)
        return answer

    async def release_quietly(self) -> None:
        """Release what is still held because the trial ends early."""
        while self._held:
            namespace = self._held.pop()
            try:
                await self._stage.service.release_pending_writes(namespace)
            except ServiceError as problem:
                self._stage.notes.append(f"A held write could not be released: {problem}")
            else:
                self._stage.notes.append("A held write was released: the trial ended early.")

    async def prove(self) -> None:
        """The hold control: in a namespace of its own, a held update of a living record arrives.

        It gates PASS only, so that it is left out once the marker has come back.
        """
        stage = self._stage
        if stage.reappeared:
            return
        self.was_proved = True
        namespace = f"{stage.namespace}-control"
        control, update = self._markers.control, self._markers.control_update
        memory_id = await self._calling.write(
            Action.CONTROL_WRITE, control, MARKER_THREAD, namespace=namespace
        )
        self._held.append(namespace)
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
        self._held.clear()
        await stage.call(
            Phase.PENDING_WRITE,
            Action.CONTROL_RELEASE,
            Capability.LIFECYCLE_PENDING_WRITES,
            lambda: self._released(namespace),
            lambda receipt: receipt.detail or "the update was released",
            namespace=namespace,
        )
        await stage.expect(Action.CONFIRM_HOLD, Phase.PENDING_WRITE, update, namespace)
