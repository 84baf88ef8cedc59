"""A write whose answer may be a refusal: it comes, or may come, after the delete."""

from collections.abc import Awaitable, Callable

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.holding import REFUSALS
from memtru_ci.domain.receipt import RecordKind
from memtru_ci.domain.timeline import Action, Outcome, Phase
from memtru_ci.errors import NoAnswer, NoSuchRecord, ProviderError, ServiceError
from memtru_ci.ports import Answer, MemoryService
from memtru_ci.trial.stage import Stage

Write = Callable[[], Awaitable[Answer[str]]]


async def late_write(stage: Stage, action: Action, write: Write) -> bool:
    """Make the write, or take its answer, and record how it ended; whether it was refused.

    Ends the trial where nobody knows how it ended.
    """
    started_ms = stage.journal.now_ms()
    try:
        return await _ended(stage, action, write, started_ms)
    except ServiceError as problem:
        is_answer = isinstance(problem, ProviderError)
        unknown = NoAnswer(problem.endpoint, problem.detail, problem.steps)
        await stage.fail(
            _phase(action),
            action,
            Capability.MEMORY_UPDATE,
            unknown if is_answer else problem,
            started_ms,
        )
        return False


async def updated(
    stage: Stage, service: MemoryService, namespace: str, memory_id: str, content: str
) -> Answer[str]:
    """Update a memory; an id that it then has is cleaned up too, as updates may make versions."""
    answer = await service.update(namespace, memory_id, content)
    stage.tracked.add(namespace, RecordKind.MEMORY, answer.value)
    return answer


async def record_ending(stage: Stage, action: Action, write: Write) -> None:
    """Record how a write ended where the trial is over anyway."""
    started_ms = stage.journal.now_ms()
    try:
        await _ended(stage, action, write, started_ms)
    except ServiceError as problem:
        stage.journal.record(
            _phase(action),
            action,
            str(problem),
            started_ms,
            outcome=Outcome.NO_ANSWER,
            evidence_steps=problem.steps,
        )


async def _ended(stage: Stage, action: Action, write: Write, started_ms: float) -> bool:
    try:
        steps, refusal = (await write()).steps, None
    except ServiceError as problem:
        if not is_refusal(problem):
            raise
        steps, refusal = problem.steps, problem
    detail = f"the service refused it: {refusal}" if refusal else "the service took it"
    stage.journal.record(_phase(action), action, detail, started_ms, evidence_steps=steps)
    return refusal is not None


def _phase(action: Action) -> Phase:
    return Phase.LIFECYCLE if action is Action.HELD_WRITE_DONE else Phase.PENDING_WRITE


def is_refusal(problem: ServiceError) -> bool:
    """Whether the service refused the write by its own rules, so that it was dealt with."""
    if isinstance(problem, NoSuchRecord):
        return True
    return isinstance(problem, ProviderError) and problem.status in REFUSALS
