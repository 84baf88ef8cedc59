"""What a lifecycle hook says it really did."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat


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

    kind: RecordKind = Field(strict=False, description="What kind of record it is.")
    id: str = Field(min_length=1, max_length=512, description="Its id.")


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


class RestartReceipt(BaseModel):
    """What was measured when the gate itself restarted the instance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str = Field(description="What restarted it: container, process or embedded.")
    old_started_at: str = Field(description="Start of the old process, RFC 3339.")
    new_started_at: str = Field(description="Start of the new process, RFC 3339.")
    old_pid: int | None = None
    new_pid: int | None = None
    exit_code: int | None = Field(default=None, description="How the old process ended.")
    signal: str | None = Field(default=None, description="The signal it was asked to end with.")
    killed: bool = Field(default=False, description="It outlived its grace and was killed.")
    oom_killed: bool = False
    grace_s: FiniteFloat | None = Field(
        default=None, description="Seconds it had to end by itself."
    )
    ready_ms: FiniteFloat = Field(description="From the new start to the first healthy answer.")

    @property
    def is_new_process(self) -> bool:
        """Whether a new process took the place of the old one."""
        return self.old_started_at != self.new_started_at
