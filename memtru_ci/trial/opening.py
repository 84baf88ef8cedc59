"""The first call of a trial: what the service says of itself."""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.timeline import Action, Outcome, Phase
from memtru_ci.errors import ServiceError
from memtru_ci.ports import Instance, ServiceInfo
from memtru_ci.trial.autopsy import cause_of_death
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.surfaces import SILENT, outcome_of


async def ask_for_info(instance: Instance, journal: Journal) -> tuple[ServiceInfo | None, str]:
    """What the service says of itself, or null and how it died, where it did.

    A failure is recorded as an event of the trial.
    """
    started_ms = journal.now_ms()
    try:
        return (await instance.service(journal).info()).value, ""
    except ServiceError as problem:
        offer = Offer((), can_restart=False)
        offer.worked(Capability.MEMORY_SEARCH)
        outcome = outcome_of(problem, offer, Capability.MEMORY_SEARCH)
        death = await cause_of_death(instance) if outcome in SILENT else ""
        journal.record(
            Phase.CREATE,
            Action.ASK_CAPABILITIES,
            death or str(problem),
            started_ms,
            outcome=Outcome.TARGET_LOST if death else outcome,
            evidence_steps=problem.steps,
        )
        return None, death
