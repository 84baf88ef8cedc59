"""Commands in the service's container as ingestion or consolidation, for jobs with no endpoint."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.domain.legible import legible
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.drivers.kept import Kept
from memtru_ci.errors import MemtruError
from memtru_ci.ports import Answer, ExchangeLog

LONGEST_OUTPUT = 500


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    exit_code: int
    output: str


@dataclass(frozen=True)
class Job:
    """A command, and what executes it; that raises `EngineError` where it does not end in time."""

    command: Sequence[str]
    execute: Callable[[], Awaitable[Ran]]


async def run_job(
    job: Job, operation: str, namespace: str, log: ExchangeLog
) -> Answer[HookReceipt]:
    """Execute the command, and keep it as the hook that it stands for."""
    kept = Kept(log, operation, "exec", namespace, {"command": list(job.command)})
    try:
        ran = await job.execute()
    except MemtruError as error:
        return kept.receipt({}, executed=False, detail=f"the command did not run: {error}")
    shown = legible(ran.output[-LONGEST_OUTPUT:])
    facts: dict[str, JsonValue] = {"exit_code": ran.exit_code, "output": ran.output}
    if ran.exit_code != 0:
        detail = f"the command ended with exit code {ran.exit_code}: {shown or 'no output'}"
        return kept.receipt(facts, executed=False, detail=detail)
    return kept.receipt(facts, executed=True, detail="the command ran in the service's container")
