"""A write whose answer may be a refusal: it comes, or may come, after the delete."""

from collections.abc import Awaitable, Callable

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.holding import REFUSALS
from memtru_ci.domain.timeline import Action, Outcome, Phase
from memtru_ci.errors import NoAnswer, NoSuchRecord, NotOffered, ProviderError, ServiceError
from memtru_ci.ports import Answer
from memtru_ci.trial.stage import Stage

_ENDED = (Action.HELD_WRITE_DONE,)


async def late_write(
    stage: Stage, action: Action, write: Callable[[], Awaitable[Answer[str]]], namespace: str
) -> bool:
    """Make the write, or take its answer, and record how it ended; whether it was refused.

    Ends the trial where nobody knows how it ended.
    """
    phase = Phase.LIFECYCLE if action in _ENDED else Phase.PENDING_WRITE
    started_ms = stage.journal.now_ms()
    stage.tracked.enter(namespace)
    try:
        answer = await write()
    except ServiceError as problem:
        if not is_refusal(problem):
            unknown = NoAnswer(problem.endpoint, problem.detail, problem.steps)
            lost = problem if not isinstance(problem, ProviderError) else unknown
            await stage.fail(phase, action, Capability.MEMORY_UPDATE, lost, started_ms)
            return False
        steps, detail, refused = problem.steps, f"the service refused it: {problem}", True
    else:
        steps, detail, refused = answer.steps, "the service took it", False
    stage.journal.record(
        phase, action, detail, started_ms, outcome=Outcome.DONE, evidence_steps=steps
    )
    return refused


def is_refusal(problem: ServiceError) -> bool:
    """Whether the service refused the write by its own rules, so that it was dealt with."""
    if isinstance(problem, NoSuchRecord):
        return True
    return isinstance(problem, ProviderError | NotOffered) and problem.status in REFUSALS
