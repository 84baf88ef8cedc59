"""What a trial notes for its reader without judging it."""

from collections.abc import Sequence

from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.domain.timeline import Action, Manner, Phase, Watch
from memtru_ci.ports import Memory
from memtru_ci.trial.stage import Stage
from memtru_ci.trial.surfaces import look_of

PROMPTED = (
    "The model was shown the deleted text again, out of the conversation that is kept on purpose. "
    "That is no finding; whoever reads the model's log sees it."
)


async def note_model_prompt(stage: Stage) -> None:
    """Say whether the model was shown the deleted text, where its source is kept (rule 19)."""
    if MODEL_PROMPT not in stage.surfaces.left_out:
        return
    started_ms = stage.journal.now_ms()
    marker, _ = stage.pair

    def seen(memories: Sequence[Memory]) -> tuple[bool, bool]:
        return marker.shown_in(one.content for one in memories), False

    reading = await stage.surfaces.reading(
        MODEL_PROMPT, lambda: stage.surfaces.results(MODEL_PROMPT, marker.query), seen
    )
    if reading.marker:
        stage.notes.append(PROMPTED)
    stage.journal.record(
        Phase.OBSERVE,
        Action.NOTE_MODEL_PROMPT,
        "what the model was shown since the delete was noted",
        started_ms,
        evidence_steps=reading.evidence_steps,
        watch=Watch(
            manner=Manner.GLANCE,
            window_ms=0,
            since_ms=started_ms,
            looks=(look_of([reading], started_ms),),
        ),
    )
