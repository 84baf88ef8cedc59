"""Performs scenarios against a target, each on an instance of its own unless it is shared."""

import random
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.promise import DeletionContract, Promise
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import CleanupFacts, ScenarioResult, ServiceFacts
from memtru_ci.domain.results import result_of, result_without_trial
from memtru_ci.domain.timeline import Action, Event, Outcome, Phase
from memtru_ci.domain.verdict import Cause, Verdict
from memtru_ci.errors import InfrastructureError, ServiceError
from memtru_ci.ports import Clock, Instance, Progress, ServiceInfo, Target
from memtru_ci.scenario import Scenario
from memtru_ci.trial.autopsy import cause_of_death
from memtru_ci.trial.cleanup import clean_up
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.markers import Markers, mint
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.stage import Stage, TrialOver
from memtru_ci.trial.surfaces import SILENT, outcome_of
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
        scenarios: Sequence[Scenario],
        *,
        window_ms: int,
        seed: int,
        is_ephemeral: bool = False,
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
            if self._has_result(scenario):
                continue
            self._progress.scenario_started(scenario.id, number, len(self._scenarios))
            await self._perform_one(scenario, shared)

    def conclude(self, interrupted: str = "") -> None:
        """Add a result for every scenario that was not performed."""
        for scenario in self._scenarios:
            if not self._has_result(scenario):
                reason = f"It was not performed: {interrupted or 'the run ended before it'}."
                self._add(
                    result_without_trial(
                        scenario.promise, Verdict.INCONCLUSIVE, Cause.EVIDENCE_INCOMPLETE, reason
                    )
                )

    async def _shared_instance(self, stack: AsyncExitStack) -> Instance | None:
        if not self._target.is_shared:
            return None
        try:
            return await stack.enter_async_context(self._target.started())
        except InfrastructureError as problem:
            self._nothing_starts(str(problem))
            return None

    def _nothing_starts(self, why: str) -> None:
        """The target cannot be brought up: no scenario can be performed."""
        for scenario in self._scenarios:
            if not self._has_result(scenario):
                self._add(_lost(scenario.promise, why))

    async def _perform_one(self, scenario: Scenario, shared: Instance | None) -> None:
        if shared is not None:
            await self._perform_on(scenario, shared)
            return
        try:
            async with self._target.started() as instance:
                await self._perform_on(scenario, instance)
        except InfrastructureError as problem:
            if self._has_result(scenario):
                self.warnings.append(str(problem))
            elif self.service is None:
                self._nothing_starts(str(problem))
            else:
                self._add(_lost(scenario.promise, str(problem)))

    async def _perform_on(self, scenario: Scenario, instance: Instance) -> None:
        performance = _Performance(self, scenario, instance)
        try:
            await performance.perform()
        except anyio.get_cancelled_exc_class():
            performance.stopped = "the run was interrupted or its time was over"
            raise
        finally:
            self._add(await performance.conclude())
            self._take_warnings()

    def _has_result(self, scenario: Scenario) -> bool:
        return any(one.scenario == scenario.id for one in self.results)

    def _add(self, result: ScenarioResult) -> None:
        self.results.append(result)
        self._progress.scenario_ended(result.scenario, result.verdict, result.reason)

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

    def source(self, scenario: Scenario) -> random.Random:
        """Randomness that the seed and the scenario determine."""
        return random.Random(f"{self._seed}/{scenario.id}")

    def take_offer(self, info: ServiceInfo, instance: Instance) -> Offer:
        """What the service offers in this run; what was dropped before stays dropped."""
        if self._offer is None:
            self._offer = Offer(info.capabilities, can_restart=instance.can_restart)
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
        info = await self._ask_for_info()
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
        self._trial = Trial(self._stage, self._markers, _contract(offer))
        with suppress(TrialOver):
            await self._scenario.perform(self._trial)

    async def conclude(self) -> ScenarioResult:
        """Release what is held, clean up, and judge the record."""
        cleanup = await self._leave_nothing()
        stage = self._stage
        return result_of(
            self._scenario.promise,
            self._record(),
            duration_ms=round((self._run.clock.now() - self._began) * 1000),
            notes=stage.notes if stage else (),
            cleanup=cleanup,
            log_tail=stage.death if stage else self._death,
        )

    async def _ask_for_info(self) -> ServiceInfo | None:
        started_ms = self._journal.now_ms()
        try:
            return (await self._instance.service(self._journal).info()).value
        except ServiceError as problem:
            offer = Offer((), can_restart=False)
            offer.worked(Capability.MEMORY_SEARCH)
            outcome = outcome_of(problem, offer, Capability.MEMORY_SEARCH)
            if outcome in SILENT:
                self._death = await cause_of_death(self._instance)
            self._journal.record(
                Phase.CREATE,
                Action.ASK_CAPABILITIES,
                self._death or str(problem),
                started_ms,
                outcome=Outcome.TARGET_LOST if self._death else outcome,
                evidence_steps=problem.steps,
            )
            return None

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
            window_ms=self._window_ms,
            consistency_window_ms=self._consistency_window_ms,
            deletion_contract=trial.contract.value if trial else None,
            missing=self._missing or (self._stage.missing if self._stage else ()),
            stopped=self.stopped,
            events=self._journal.events,
            evidence=self._journal.evidence,
        )

    def _tell(self, event: Event) -> None:
        self._run.progress.event_recorded(self._scenario.id, event)

    def _tick(self, action: str, left_s: float) -> None:
        self._run.progress.window_open(self._scenario.id, action, left_s)


def _contract(offer: Offer) -> DeletionContract:
    if offer.has(Capability.MEMORY_DELETE):
        return DeletionContract.MEMORY_RECORD
    return DeletionContract.THREAD_CHECKPOINT
