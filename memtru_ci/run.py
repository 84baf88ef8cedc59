"""Performs scenarios against a target, each on an instance of its own unless it is shared."""

import random
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.folding import condensed, told_of
from memtru_ci.domain.promise import DeletionContract, Promise
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import CleanupFacts, ScenarioResult, ServiceFacts
from memtru_ci.domain.results import result_of, result_without_trial
from memtru_ci.domain.timeline import Event
from memtru_ci.domain.verdict import Cause, Verdict
from memtru_ci.errors import InfrastructureError
from memtru_ci.joint import JointPerformance
from memtru_ci.ports import Clock, Instance, Progress, ServiceInfo, Target
from memtru_ci.scenario import AnyScenario, JointScenario, Scenario
from memtru_ci.trial.cleanup import clean_up
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.markers import Markers, mint
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.opening import ask_for_info
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.stage import Stage
from memtru_ci.trial.trial import Trial

RELEASE_DEADLINE_S = 3.0
CLEANUP_DEADLINE_S = 4.0
MOST_CAPABILITIES = 100
"""The contract knows fewer; a report lists no more."""


class Run:
    """One run of several scenarios.

    `perform` may be cancelled at any moment: it then releases what is held, cleans up within its
    own deadlines and keeps what it has; `conclude` adds what was not performed.
    """

    def __init__(
        self,
        target: Target,
        scenarios: Sequence[AnyScenario],
        *,
        window_ms: int,
        seed: int,
        is_ephemeral: bool = False,
        update_never_creates: bool = False,
        clock: Clock,
        progress: Progress,
    ) -> None:
        self.results: list[ScenarioResult] = []
        self.warnings: list[str] = []
        self.service: ServiceFacts | None = None
        self._target = target
        self._scenarios = tuple(scenarios)
        self._window_ms = window_ms
        self._seed = seed
        self._is_ephemeral = is_ephemeral
        self.update_never_creates = update_never_creates
        self._clock = clock
        self._progress = progress
        self._offer: Offer | None = None

    async def perform(self) -> None:
        """Perform every scenario, in order; a target that fails makes results, never an error."""
        try:
            async with AsyncExitStack() as shared:
                await self._perform_all(await self._shared_instance(shared))
        except InfrastructureError as problem:
            self.warnings.append(str(problem))

    async def _perform_all(self, shared: Instance | None) -> None:
        for number, scenario in enumerate(self._scenarios, 1):
            if not self._without_result((scenario,)):
                continue
            party = self._party(scenario)
            name = ", ".join(condensed(one.id for one in party))
            self._progress.scenario_started(name, number, len(self._scenarios))
            await self._perform_party(party, shared)

    def conclude(self, interrupted: str = "") -> None:
        """Add a result for every scenario that was not performed."""
        reason = f"It was not performed: {interrupted or 'the run ended before it'}."
        self._add(
            result_without_trial(
                one.promise, Verdict.INCONCLUSIVE, Cause.EVIDENCE_INCOMPLETE, reason
            )
            for one in self._without_result(self._scenarios)
        )

    def _party(self, scenario: AnyScenario) -> Sequence[AnyScenario]:
        """The scenarios that are performed with this one: itself, or all that share an instance."""
        if isinstance(scenario, Scenario):
            return (scenario,)
        return [one for one in self._scenarios if isinstance(one, JointScenario)]

    async def _shared_instance(self, stack: AsyncExitStack) -> Instance | None:
        if not self._target.is_shared:
            return None
        try:
            return await stack.enter_async_context(self._target.started())
        except InfrastructureError as problem:
            self._all_lost(self._scenarios, str(problem))
            return None

    def _all_lost(self, scenarios: Iterable[AnyScenario], why: str) -> None:
        self._add(_lost(one.promise, why) for one in self._without_result(scenarios))

    async def _perform_party(self, party: Sequence[AnyScenario], shared: Instance | None) -> None:
        if shared is not None:
            await self._perform_on(party, shared)
            return
        try:
            async with self._target.started() as instance:
                await self._perform_on(party, instance)
        except InfrastructureError as problem:
            if not self._without_result(party):
                self.warnings.append(str(problem))
                return
            # Where nothing has ever started, nothing will.
            self._all_lost(party if self.service else self._scenarios, str(problem))

    async def _perform_on(self, party: Sequence[AnyScenario], instance: Instance) -> None:
        performance = self._performance(party, instance)
        try:
            await performance.perform()
        except anyio.get_cancelled_exc_class():
            performance.stopped = "the run was interrupted or its time was over"
            raise
        finally:
            self._add(await performance.conclude())
            self._take_warnings()

    def _performance(
        self, party: Sequence[AnyScenario], instance: Instance
    ) -> "_Performance | JointPerformance":
        first = party[0]
        if isinstance(first, Scenario):
            return _Performance(self, first, instance)
        joint = [one for one in party if isinstance(one, JointScenario)]
        return JointPerformance(self, joint, instance)

    def _without_result(self, scenarios: Iterable[AnyScenario]) -> list[AnyScenario]:
        there = {one.scenario for one in self.results}
        return [one for one in scenarios if one.id not in there]

    def _add(self, results: Iterable[ScenarioResult]) -> None:
        added = list(results)
        self.results += added
        for name, verdict, reason in told_of(added):
            self._progress.scenario_ended(name, verdict, reason)

    # --- what a performance needs -----------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """The run's clock."""
        return self._clock

    @property
    def window_ms(self) -> int:
        """The window that the user asked for, milliseconds."""
        return self._window_ms

    @property
    def progress(self) -> Progress:
        """Who is told."""
        return self._progress

    @property
    def is_shared(self) -> bool:
        """Whether the instance stays after the run."""
        return self._target.is_shared

    def source(self, scenario: AnyScenario) -> random.Random:
        """Randomness that the seed and the scenario determine."""
        return random.Random(f"{self._seed}/{scenario.id}")

    def take_offer(self, info: ServiceInfo, instance: Instance) -> Offer:
        """What the service offers in this run; what was dropped before stays dropped."""
        if self._offer is None:
            self._offer = Offer(info.capabilities, can_restart=instance.can_restart)
            if instance.can_hold:
                self._offer.provide(Capability.LIFECYCLE_PENDING_WRITES)
            if self._is_ephemeral:
                self._offer.leave_out_restarts("the service is declared `state: ephemeral`")
        self.service = ServiceFacts(
            name=info.name,
            version=info.version,
            capabilities=sorted(info.capabilities)[:MOST_CAPABILITIES],
            consistency_window_ms=info.consistency_window_ms,
        )
        self._take_warnings()
        return self._offer

    def _take_warnings(self) -> None:
        for warning in self._offer.warnings if self._offer else ():
            if warning not in self.warnings:
                self.warnings.append(warning)


def _lost(promise: Promise, why: str) -> ScenarioResult:
    reason = f"The target could not be tested: {why}"
    return result_without_trial(promise, Verdict.ERROR, Cause.TARGET_LOST, reason)


class _Performance:
    """One scenario on one instance, from its first call to its result."""

    def __init__(self, run: Run, scenario: Scenario, instance: Instance) -> None:
        self.stopped = ""
        self._run = run
        self._scenario = scenario
        self._instance = instance
        self._markers: Markers = mint(source := run.source(scenario))
        self._namespace = f"memtru-{scenario.id.lower()}-{source.getrandbits(48):012x}"
        self._began = run.clock.now()
        self._journal = Journal(run.clock, self._markers.secrets, self._tell)
        self._window_ms = run.window_ms
        self._consistency_window_ms = 0
        self._stage: Stage | None = None
        self._trial: Trial | None = None
        self._missing: tuple[str, ...] = ()
        self._death = ""

    async def perform(self) -> None:
        """Act out the scenario; ends early where its verdict can not be PASS any more."""
        info, self._death = await ask_for_info(self._instance, self._journal)
        if info is None:
            return
        offer = self._run.take_offer(info, self._instance)
        self._missing = offer.missing(self._scenario.promise)
        if self._missing:
            return
        self._consistency_window_ms = info.consistency_window_ms
        self._window_ms = max(self._run.window_ms, info.consistency_window_ms)
        self._stage = Stage(
            instance=self._instance,
            offer=offer,
            journal=self._journal,
            clock=self._run.clock,
            namespace=self._namespace,
            window_ms=self._window_ms,
            consistency_window_ms=self._consistency_window_ms,
            tick=self._tick,
        )
        self._trial = Trial(
            self._stage,
            self._markers,
            _contract(offer),
            update_never_creates=self._run.update_never_creates,
        )
        with suppress(TrialOver):
            await self._scenario.perform(self._trial)

    async def conclude(self) -> list[ScenarioResult]:
        """Release what is held, clean up, and judge the record."""
        cleanup = await self._leave_nothing()
        stage = self._stage
        result = result_of(
            self._scenario.promise,
            self._record(),
            duration_ms=round((self._run.clock.now() - self._began) * 1000),
            notes=stage.notes if stage else (),
            cleanup=cleanup,
            log_tail=stage.death if stage else self._death,
        )
        return [result]

    async def _leave_nothing(self) -> CleanupFacts:
        stage, trial = self._stage, self._trial
        if stage is None or trial is None:
            return CleanupFacts()
        # Where a restart was cut short, the instance may be somewhere else by now.
        stage.renew_service()
        with anyio.move_on_after(RELEASE_DEADLINE_S, shield=True):
            await trial.release_quietly()
        if stage.death:
            return CleanupFacts(left=["nothing could be deleted: the target is gone"])
        return await clean_up(stage.service, stage.offer, stage.tracked, CLEANUP_DEADLINE_S)

    def _record(self) -> Record:
        trial = self._trial
        return Record(
            namespace=self._namespace,
            marker=self._markers.marker,
            bystander=self._markers.bystander,
            unrelated=self._markers.unrelated if trial and trial.has_unrelated else None,
            control=self._markers.control_update if trial and trial.has_control else None,
            **self._create_control(),
            window_ms=self._window_ms,
            consistency_window_ms=self._consistency_window_ms,
            deletion_contract=trial.contract.value if trial else None,
            missing=self._missing or (self._stage.missing if self._stage else ()),
            stopped=self.stopped,
            events=self._journal.events,
            evidence=self._journal.evidence,
        )

    def _create_control(self) -> dict[str, Any]:
        """What the record says of the create control: nothing where there was none."""
        declared = {"update_never_creates": self._run.update_never_creates}
        if self._trial is None or not self._trial.has_create_control:
            return declared
        markers = self._markers
        return declared | {
            "created": markers.created,
            "created_bystander": markers.created_bystander,
            "created_update": markers.created_update,
        }

    def _tell(self, event: Event) -> None:
        self._run.progress.event_recorded(self._scenario.id, event)

    def _tick(self, action: str, left_s: float) -> None:
        self._run.progress.window_open(self._scenario.id, action, left_s)


def _contract(offer: Offer) -> DeletionContract:
    if offer.has(Capability.MEMORY_DELETE):
        return DeletionContract.MEMORY_RECORD
    return DeletionContract.THREAD_CHECKPOINT
