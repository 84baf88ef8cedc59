"""MT-AF-001: a write held in flight lands after the delete."""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Cause
from memtru_ci.scenario import Scenario
from memtru_ci.trial.trial import Trial

_CREATE = (
    "Create control, where the gate itself holds the write: an update of a deleted memory does "
    "not make it anew."
)
_WRITE = "Write a memory holding a unique marker; its owner can retrieve it."
_HOLD = "Start an update of that memory and hold it in flight."
_DELETE = "Delete the memory; the marker is absent on every surface."
_RELEASE = "Release the held write; watch every surface."
_RESTART = "Restart the isolated instance, where supported; watch again."
_CONTROL = "Hold control: a held update of a living memory arrives once released."


async def late_write(trial: Trial) -> None:
    """The numbered steps."""
    trial.step(_CREATE)
    await trial.prove_no_create()

    trial.step(_WRITE)
    memory = await trial.write_memory()
    await trial.confirm_retrievable()

    trial.step(_HOLD)
    await trial.begin_pending_write(memory)

    trial.step(_DELETE)
    await trial.delete(memory)
    await trial.confirm_absent()

    trial.step(_RELEASE)
    await trial.release_pending_writes()
    await trial.watch_surfaces(Action.AFTER_RELEASE)

    trial.step(_RESTART)
    await trial.restart_if_supported()

    trial.step(_CONTROL)
    await trial.prove_hold()


LATE_WRITE = Scenario(
    Promise(
        id="MT-AF-001",
        title="Late write resurrection",
        finding=Cause.LATE_WRITE_RESURRECTED,
        suite="afterlife",
        needs=(
            frozenset({Capability.MEMORY_WRITE}),
            frozenset({Capability.MEMORY_SEARCH}),
            frozenset({Capability.LIFECYCLE_PENDING_WRITES}),
            frozenset({Capability.MEMORY_DELETE, Capability.THREAD_DELETE}),
        ),
        lifecycle=(
            frozenset({Action.BEGIN_PENDING_WRITE}),
            frozenset({Action.RELEASE_PENDING_WRITES}),
        ),
        severity="high",
        steps=(_CREATE, _WRITE, _HOLD, _DELETE, _RELEASE, _RESTART, _CONTROL),
    ),
    late_write,
)
