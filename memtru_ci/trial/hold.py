"""A write held in flight, its release, and the control that shows that the hold delivers."""

from collections.abc import Awaitable, Callable

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.holding import WITHHELD_BODY, held_look_ms
from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.promise import DeletionContract
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.timeline import Action, Phase, Watch
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Answer, HoldDriver
from memtru_ci.trial.calling import Calling
from memtru_ci.trial.create_control import CreateControl
from memtru_ci.trial.late import late_write, record_ending, updated
from memtru_ci.trial.markers import MARKER_THREAD, Markers
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.stage import Stage
from memtru_ci.watch import Watcher

NEUTRAL_INPUT = "Thank you. Please go on."
"""What a run of the service's own is started with: the secret can only come from earlier state."""

UNTOLD = (
    "The held write was answered before its release. What the model is shown after that may be of "
    "the write itself, so that `model_prompt` proves nothing from then on."
)
PATIENCE_PAUSES = 6
"""Short pauses in which a service that accepts an update at once has the time to say so."""


class Hold:
    """Only an update of the deleted id is held (catalogue, rule 10), or a run of its thread."""

    def __init__(
        self,
        stage: Stage,
        calling: Calling,
        markers: Markers,
        contract: DeletionContract,
        *,
        update_never_creates: bool = False,
    ) -> None:
        self._stage = stage
        self._calling = calling
        self._markers = markers
        self._is_run = contract is DeletionContract.THREAD_CHECKPOINT
        self._update_never_creates = update_never_creates
        self._driver: HoldDriver | None = stage.instance.hold(stage.journal)
        self._held: list[str] = []
        """The namespaces in which a write is held."""
        self._answered: set[str] = set()
        """The namespaces in which the gate's own write was answered."""
        self.was_proved = False
        self.has_create_control = False

    async def prove_no_create(self) -> None:
        """The create control, for holds made by the gate; a run of a thread may create one."""
        if self._driver is None or self._is_run:
            return
        if not self._stage.offer.has(Capability.MEMORY_UPDATE):
            self._stage.missing = (Capability.MEMORY_UPDATE.value,)
            raise TrialOver
        if self._update_never_creates:
            return
        self.has_create_control = True
        await CreateControl(self._stage, self._calling, self._markers).perform()

    async def begin(self, memory_id: str) -> None:
        """Start an update of the memory, carrying the marker whole, and hold it in flight."""
        held = self._markers.held
        content = NEUTRAL_INPUT if self._driver is not None and self._is_run else held.content
        await self._begin(
            Action.BEGIN_PENDING_WRITE, self._stage.namespace, memory_id, content, held.secret
        )

    async def release(self) -> None:
        """Let the held update complete exactly as the system would."""
        stage = self._stage
        if stage.namespace in self._answered and MODEL_PROMPT in stage.surfaces.names:
            stage.notes.append(UNTOLD)
        await self._release(Action.RELEASE_PENDING_WRITES, Action.HELD_WRITE_DONE, stage.namespace)

    async def release_quietly(self) -> None:
        """Release what is still held because the trial ends early."""
        while self._held:
            namespace = self._held.pop()
            started_ms = self._stage.journal.now_ms()
            try:
                answer = await self._released(namespace)
            except ServiceError as problem:
                self._stage.notes.append(f"A held write could not be released: {problem}")
            else:
                receipt = answer.value
                self._stage.journal.record(
                    Phase.PENDING_WRITE,
                    Action.RELEASE_EARLY,
                    receipt.detail or "what was held is released",
                    started_ms,
                    evidence_steps=answer.steps,
                )
                if not receipt.executed:
                    self._stage.notes.append(
                        f"A held write could not be released: {receipt.detail}"
                    )
                    continue
                if receipt.processed != 0:
                    self._stage.notes.append("A held write was released: the trial ended early.")
                    await self._account_for(namespace)

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
        await self._begin(Action.CONTROL_BEGIN, namespace, memory_id, update.content, update.secret)
        if self._driver is not None and self._driver.mechanism != WITHHELD_BODY:
            await self._confirm_held(update, namespace)
        await self._release(Action.CONTROL_RELEASE, Action.CONTROL_WRITE_DONE, namespace)
        await stage.expect(Action.CONFIRM_HOLD, Phase.PENDING_WRITE, update, namespace)

    async def _confirm_held(self, update: Marker, namespace: str) -> None:
        """See that the update does not show while it is held: else something else is held.

        One that was accepted at once may have been applied at once too, and be slow to show.
        """
        stage = self._stage
        look_ms = held_look_ms(stage.window_ms, stage.consistency_window_ms)

        for _ in range(PATIENCE_PAUSES):
            if namespace not in self._answered:
                await stage.pause()

        async def look(watcher: Watcher) -> Watch:
            if namespace not in self._answered:
                return await watcher.glance()
            return await watcher.until_expected(look_ms)

        await stage.watching.aside(
            Action.CONFIRM_HELD,
            Phase.PENDING_WRITE,
            namespace,
            (stage.pair[0], update),
            look,
            lambda seen: "the update is visible" if seen else "the update is not visible yet",
        )

    async def _begin(
        self, action: Action, namespace: str, memory_id: str, content: str, secret: str
    ) -> None:
        stage, driver = self._stage, self._driver
        self._held.append(namespace)

        async def begin() -> Answer[HookReceipt]:
            if driver is None:
                return await stage.service.begin_pending_write(
                    namespace, content, target_id=memory_id, thread_id=MARKER_THREAD
                )
            return await driver.begin(self._write(namespace, memory_id, content), secret, namespace)

        try:
            await stage.call(
                Phase.PENDING_WRITE,
                action,
                Capability.LIFECYCLE_PENDING_WRITES,
                begin,
                lambda receipt: receipt.detail or f"an update of {memory_id} is held",
                namespace=namespace,
            )
        except TrialOver:
            await self._account_for(namespace)
            raise

    async def _account_for(self, namespace: str) -> None:
        """Record how the gate's own write ended where the trial ended before it."""
        driver = self._driver
        if driver is None:
            return
        is_control = namespace != self._stage.namespace
        action = Action.CONTROL_WRITE_DONE if is_control else Action.HELD_WRITE_DONE
        await record_ending(self._stage, action, lambda: driver.outcome(namespace))

    def _write(
        self, namespace: str, memory_id: str, content: str
    ) -> Callable[[], Awaitable[Answer[str]]]:
        stage = self._stage
        service = stage.service

        async def write() -> Answer[str]:
            if self._is_run:
                answer = await service.run(namespace, MARKER_THREAD, content)
            else:
                answer = await updated(stage, service, namespace, memory_id, content)
            self._answered.add(namespace)
            return answer

        return write

    async def _release(self, action: Action, ended: Action, namespace: str) -> None:
        stage, driver = self._stage, self._driver
        await stage.call(
            Phase.LIFECYCLE if action is Action.RELEASE_PENDING_WRITES else Phase.PENDING_WRITE,
            action,
            Capability.LIFECYCLE_PENDING_WRITES,
            lambda: self._released(namespace),
            lambda receipt: receipt.detail or "what was held is released",
            namespace=namespace,
        )
        if driver is not None:
            await late_write(stage, ended, lambda: driver.outcome(namespace))

    async def _released(self, namespace: str) -> Answer[HookReceipt]:
        """Release to the end, within the service's own deadline, also where the run is cancelled.

        A release is never sent twice, so that one that was begun must not be cut short.
        """
        if namespace in self._held:
            self._held.remove(namespace)
        with anyio.CancelScope(shield=True):
            if self._driver is not None:
                answer = await self._driver.release(namespace)
            else:
                answer = await self._stage.service.release_pending_writes(namespace)
        return answer
