"""Performs scenarios that share one instance: stage by stage, all of them before the next stage."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from memtru_ci.domain.policy_case import PolicyCase
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import CleanupFacts, ScenarioResult
from memtru_ci.domain.results import result_of
from memtru_ci.domain.timeline import Action, Event, Outcome, Phase
from memtru_ci.ports import Clock, Instance, Progress, ServiceInfo
from memtru_ci.scenario import AnyScenario, JointScenario
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.opening import ask_for_info
from memtru_ci.trial.over import TrialOver
from memtru_ci.trial.policy_trial import PolicyTrial
from memtru_ci.trial.shared_restart import SharedRestart
from memtru_ci.trial.stage import Stage

MOST_UNANSWERED = 3
"""So many scenarios in a row that end without an answer: the others would only wait as long."""

_LEFT = "its policy events: no call of the contract deletes them"


class Conducting(Protocol):
    """What a performance needs of its run."""

    @property
    def clock(self) -> Clock: ...
    @property
    def window_ms(self) -> int: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def is_shared(self) -> bool:
        """Whether the instance stays after the run."""
        ...

    def source(self, scenario: AnyScenario) -> random.Random: ...
    def take_offer(self, info: ServiceInfo, instance: Instance) -> Offer: ...


class JointPerformance:
    """Several scenarios on one instance, from their first call to their results."""

    def __init__(
        self, run: Conducting, scenarios: Sequence[JointScenario], instance: Instance
    ) -> None:
        self.stopped = ""
        restart = SharedRestart()
        is_alone = len(scenarios) == 1
        self._members = [_Member(run, one, instance, restart, is_alone) for one in scenarios]
        self._stages = max(len(one.stages) for one in scenarios)

    async def perform(self) -> None:
        """Act out all scenarios; one that is over leaves the others alone."""
        await self._each(_Member.open)
        for number in range(self._stages):
            await self._each(partial(_Member.perform, number=number))

    async def conclude(self) -> list[ScenarioResult]:
        """Judge the records; those that were cut short say so."""
        return [member.result(self.stopped) for member in self._members]

    async def _each(self, act: Callable[["_Member"], Awaitable[None]]) -> None:
        unanswered = 0
        for member in self._members:
            if member.is_over:
                continue
            await act(member)
            if member.loss:
                self._all_lost(member.loss)
            unanswered = unanswered + 1 if member.is_without_answer else 0
            if unanswered == MOST_UNANSWERED:
                self._give_up(f"{unanswered} scenarios in a row were left without an answer")

    def _all_lost(self, death: str) -> None:
        for member in self._members:
            if not member.is_over:
                member.lose(death)

    def _give_up(self, why: str) -> None:
        for member in self._members:
            if not member.is_over:
                member.give_up(why)


class _Member:
    """One of the scenarios: its trial, and its record while it grows."""

    def __init__(
        self,
        run: Conducting,
        scenario: JointScenario,
        instance: Instance,
        restart: SharedRestart,
        is_alone: bool,
    ) -> None:
        self.is_over = False
        self._run = run
        self._scenario = scenario
        self._instance = instance
        self._restart = restart
        self._is_alone = is_alone
        suffix = f"{run.source(scenario).getrandbits(48):012x}"
        self._namespace = f"memtru-{scenario.id.lower()}-{suffix}"
        self._began = run.clock.now()
        self._journal = Journal(run.clock, (), self._tell)
        self._consistency_window_ms = 0
        self._stage: Stage | None = None
        self._trial: PolicyTrial | None = None
        self._missing: tuple[str, ...] = ()
        self._stopped = ""
        self._death = ""

    @property
    def death(self) -> str:
        """How the target died during this scenario; empty while it lives."""
        return self._stage.death if self._stage else self._death

    @property
    def loss(self) -> str:
        """How the target was lost during this scenario; empty where it was not."""
        events = self._journal.events
        was_lost = bool(events) and events[-1].outcome is Outcome.TARGET_LOST
        return self.death or (events[-1].detail if was_lost else "")

    @property
    def is_without_answer(self) -> bool:
        """Whether it ended because no answer came."""
        events = self._journal.events
        return self.is_over and bool(events) and events[-1].outcome is Outcome.NO_ANSWER

    async def open(self) -> None:
        """Ask what the service offers."""
        info, self._death = await ask_for_info(self._instance, self._journal)
        if info is None:
            self.is_over = True
            return
        offer = self._run.take_offer(info, self._instance)
        self._missing = offer.missing(self._scenario.promise)
        self.is_over = bool(self._missing)
        self._consistency_window_ms = info.consistency_window_ms
        self._stage = Stage(
            instance=self._instance,
            offer=offer,
            journal=self._journal,
            clock=self._run.clock,
            namespace=self._namespace,
            window_ms=self._run.window_ms,
            consistency_window_ms=info.consistency_window_ms,
            tick=lambda action, left_s: None,
        )
        case = self._scenario.promise.policy or PolicyCase("", (), (), ())
        self._trial = PolicyTrial(self._stage, case, self._restart)

    async def perform(self, number: int) -> None:
        """One stage of the scenario; it is over after the last, or where PASS is out of reach."""
        stages = self._scenario.stages
        if self._stage is None or self._trial is None or number >= len(stages):
            return
        self._missing = self._stage.offer.missing(self._scenario.promise)
        self.is_over = bool(self._missing)
        if not self._missing:
            with suppress(TrialOver):
                await stages[number](self._trial)
                self.is_over = number == len(stages) - 1
                return
            self.is_over = True

    def lose(self, death: str) -> None:
        """The target died during another scenario."""
        self.is_over = True
        self._death = death
        self._journal.record(
            Phase.OBSERVE,
            Action.ASK_POLICY,
            death,
            self._journal.now_ms(),
            outcome=Outcome.TARGET_LOST,
        )

    def give_up(self, why: str) -> None:
        """It makes no sense to go on."""
        self.is_over = True
        self._stopped = why

    def result(self, stopped: str) -> ScenarioResult:
        """The result of the record; `stopped` says why the run ended, if it was before this."""
        stage = self._stage
        left = self._run.is_shared and any(
            one.action is Action.POST_POLICY_EVENT for one in self._journal.events
        )
        return result_of(
            self._scenario.promise,
            self._record("" if self.is_over else stopped),
            duration_ms=round((self._run.clock.now() - self._began) * 1000),
            notes=stage.notes if stage else (),
            cleanup=CleanupFacts(left=[f"{self._namespace}: {_LEFT}"] if left else []),
            log_tail=self.death or self._death,
        )

    def _record(self, stopped: str) -> Record:
        return Record(
            namespace=self._namespace,
            window_ms=self._run.window_ms,
            consistency_window_ms=self._consistency_window_ms,
            missing=self._missing or (self._stage.missing if self._stage else ()),
            stopped=self._stopped or stopped,
            events=self._journal.events,
            evidence=self._journal.evidence,
        )

    def _tell(self, event: Event) -> None:
        if self._is_alone or event.action is Action.RESTART:
            self._run.progress.event_recorded(self._scenario.id, event)
