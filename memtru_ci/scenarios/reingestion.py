"""MT-AF-002: a retained conversation is ingested again."""

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Cause
from memtru_ci.scenario import Scenario
from memtru_ci.trial.trial import Trial

_TELL = "Record a conversation that holds a unique marker and ingest it; the memory is retrievable."
_DELETE = "Delete the derived memory, keep the conversation; the marker is absent everywhere."
_SESSION = "Start a new session; watch every surface."
_INGEST = "Record an unrelated message and ingest; it becomes a memory; watch every surface."
_RESTART = "Restart the isolated instance, where supported; watch again."


async def reingestion(trial: Trial) -> None:
    """The numbered steps."""
    trial.step(_TELL)
    await trial.record_conversation()
    await trial.ingest()
    await trial.confirm_retrievable(source_is_kept=True)

    trial.step(_DELETE)
    await trial.delete_derived()
    await trial.confirm_absent()

    trial.step(_SESSION)
    await trial.start_session_if_supported()

    trial.step(_INGEST)
    await trial.ingest_unrelated()
    await trial.watch_surfaces(Action.AFTER_INGESTION)

    trial.step(_RESTART)
    await trial.restart_if_supported()
    await trial.note_model_prompt()


REINGESTION = Scenario(
    Promise(
        id="MT-AF-002",
        title="Session re-ingestion resurrection",
        finding=Cause.HISTORY_REINGESTION_RESURRECTED,
        suite="afterlife",
        needs=(
            frozenset({Capability.MEMORY_SEARCH}),
            frozenset({Capability.MEMORY_DELETE}),
            frozenset({Capability.LIFECYCLE_CONVERSATION}),
            frozenset({Capability.LIFECYCLE_NEW_SESSION, Capability.LIFECYCLE_CONSOLIDATE}),
        ),
        lifecycle=(
            frozenset({Action.INGEST}),
            frozenset({Action.START_SESSION, Action.CONSOLIDATE}),
            frozenset({Action.CONFIRM_INGESTED}),
        ),
        severity="high",
        noted=frozenset({MODEL_PROMPT}),
        steps=(_TELL, _DELETE, _SESSION, _INGEST, _RESTART),
    ),
    reingestion,
)
