"""MT-DEL-003: with no event at all, the deleted memory is gone and stays gone."""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Cause
from memtru_ci.scenario import Scenario
from memtru_ci.trial.trial import Trial

_WRITE = "Write a memory holding a unique marker; its owner can retrieve it."
_DELETE = "Delete the memory."
_WATCH = "Do nothing; watch every surface to the end of the window."


async def delete_effective(trial: Trial) -> None:
    """The numbered steps."""
    trial.step(_WRITE)
    memory = await trial.write_memory()
    await trial.confirm_retrievable()

    trial.step(_DELETE)
    await trial.delete(memory)

    trial.step(_WATCH)
    await trial.watch_whole_window(Action.AFTER_DELETE)


DELETE_EFFECTIVE = Scenario(
    Promise(
        id="MT-DEL-003",
        title="Delete is effective",
        finding=Cause.DELETE_NOT_EFFECTIVE,
        suite="deletion",
        needs=(
            frozenset({Capability.MEMORY_WRITE}),
            frozenset({Capability.MEMORY_SEARCH}),
            frozenset({Capability.MEMORY_DELETE}),
        ),
        lifecycle=(),
        severity="high",
        afterlife=False,
        steps=(_WRITE, _DELETE, _WATCH),
    ),
    delete_effective,
)
