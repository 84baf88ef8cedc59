"""What a lifecycle hook says it really did."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class RecordKind(StrEnum):
    """The kinds of record a hook can create (HTTP contract, lifecycle hooks)."""

    MEMORY = "memory"
    CONVERSATION = "conversation"
    THREAD = "thread"
    SESSION = "session"
    PENDING_WRITE = "pending_write"


class CreatedRecord(BaseModel):
    """A record that a hook made, so that cleanup can delete it."""

    model_config = ConfigDict(frozen=True, strict=True)

    kind: RecordKind = Field(strict=False)
    id: str = Field(min_length=1, max_length=512)


class HookReceipt(BaseModel):
    """The answer of every lifecycle hook. Unknown keys are ignored, nothing is coerced."""

    model_config = ConfigDict(frozen=True, strict=True)

    executed: bool = Field(description="The real mechanism ran.")
    detail: str = Field(default="", description="What was done, or why it was not.")
    created: tuple[CreatedRecord, ...] = Field(
        default=(), strict=False, description="Every record that the hook made."
    )
    processed: int | None = Field(
        default=None, ge=0, description="How many held writes, messages or records it dealt with."
    )
