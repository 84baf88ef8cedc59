"""The verbs of the policy suite: each acts, and records what happened."""

from collections.abc import Sequence

from pydantic import JsonValue

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.policy_case import PolicyCase, Question, plain_id
from memtru_ci.domain.timeline import Action, Phase
from memtru_ci.ports import TakenEvents
from memtru_ci.trial.shared_restart import SharedRestart
from memtru_ci.trial.stage import Stage


class PolicyTrial:
    """One performance of a policy case, in sessions of its own."""

    def __init__(self, stage: Stage, case: PolicyCase, restart: SharedRestart) -> None:
        self._stage = stage
        self._case = case
        self._restart = restart
        self._has_restarted = False

    def step(self, text: str) -> None:
        """Go on to the scenario's next numbered step."""
        self._stage.journal.begin_step(text)

    async def post_events(self) -> None:
        """Send the events in their order of arrival, each in a call of its own.

        In one call a service could sort them first, and so hide that it depends on their order;
        only where some must be rejected they come in one, so that the rest is seen to be kept.
        """
        for events in self._case.calls_in(self._stage.namespace):
            await self._post(events)
        self._stage.acknowledged()

    async def ask(self) -> None:
        """Ask every question, once the events have to be seen."""
        await self._stage.await_consistency()
        for question in self._case.questions:
            await self._ask(question)

    async def restart_if_supported(self) -> None:
        """Go through the one restart of all trials on this instance."""
        self._has_restarted = await self._restart.go_through(self._stage)

    async def ask_again_if_restarted(self) -> None:
        """Ask every question again, where there was a restart."""
        if self._has_restarted:
            await self.ask()

    async def _post(self, events: Sequence[JsonValue]) -> None:
        stage = self._stage
        await stage.call(
            Phase.CREATE,
            Action.POST_POLICY_EVENT,
            Capability.POLICY_EVENTS,
            lambda: stage.service.policy_events(events),
            _taken,
        )

    async def _ask(self, question: Question) -> None:
        stage = self._stage
        await stage.call(
            Phase.OBSERVE,
            Action.ASK_POLICY,
            Capability.POLICY_QUERY,
            lambda: stage.service.policy_query(question.sent_in(stage.namespace)),
            lambda ids: (
                "answered: "
                + (", ".join(plain_id(one, stage.namespace) for one in ids[:10]) or "nothing")
            ),
        )


def _taken(taken: TakenEvents) -> str:
    rejected = [f"; rejected {index}: {reason}" for index, reason in taken.rejected[:3]]
    return f"{taken.accepted} taken{''.join(rejected)}"
