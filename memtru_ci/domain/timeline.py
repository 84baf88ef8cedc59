"""What was done and what was seen in one trial, in order: the only thing a verdict is made of."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from memtru_ci.domain.receipt import HookReceipt, RestartReceipt


class Phase(StrEnum):
    """The kind of moment an event belongs to (afterlife reference, report format)."""

    CREATE = "create"
    POSITIVE_CONTROL = "positive_control"
    PENDING_WRITE = "pending_write"
    DELETE = "delete"
    IMMEDIATE_CHECK = "immediate_check"
    LIFECYCLE = "lifecycle"
    OBSERVE = "observe"


class Action(StrEnum):
    """What an event is: the vocabulary that the judge reads."""

    ASK_CAPABILITIES = "ask_capabilities"
    WRITE_MEMORY = "write_memory"
    WRITE_BYSTANDER = "write_bystander"
    RECORD_CONVERSATION = "record_conversation"
    RECORD_BYSTANDER = "record_bystander"
    INGEST = "ingest"
    DISCOVER_SURFACES = "discover_surfaces"
    CONFIRM_RETRIEVABLE = "confirm_retrievable"
    BEGIN_PENDING_WRITE = "begin_pending_write"
    FIND_DERIVED = "find_derived"
    DELETE = "delete"
    DELETE_THREAD = "delete_thread"
    IMMEDIATE_CHECK = "immediate_check"
    RELEASE_PENDING_WRITES = "release_pending_writes"
    RELEASE_EARLY = "release_early"
    START_SESSION = "start_session"
    RECORD_UNRELATED = "record_unrelated"
    CONSOLIDATE = "consolidate"
    RESTART = "restart"
    CONFIRM_INGESTED = "confirm_ingested"
    AFTER_DELETE = "after_delete"
    AFTER_RELEASE = "after_release"
    AFTER_SESSION = "after_session"
    AFTER_INGESTION = "after_ingestion"
    AFTER_RESTART = "after_restart"
    AFTER_FAILURE = "after_failure"
    NOTE_MODEL_PROMPT = "note_model_prompt"
    UNCLAIMED = "unclaimed"
    CONTROL_WRITE = "control_write"
    CONTROL_BEGIN = "control_begin_pending_write"
    CONTROL_RELEASE = "control_release_pending_writes"
    CONFIRM_HOLD = "confirm_hold"
    CONFIRM_HELD = "confirm_held"
    HELD_WRITE_DONE = "held_write_done"
    CONTROL_WRITE_DONE = "control_write_done"
    CREATE_CONTROL_WRITE = "create_control_write"
    CREATE_CONTROL_BYSTANDER = "create_control_bystander"
    CREATE_CONTROL_CONFIRM = "create_control_confirm_retrievable"
    CREATE_CONTROL_DELETE = "create_control_delete"
    CREATE_CONTROL_ABSENT = "create_control_absent"
    CREATE_CONTROL_UPDATE = "create_control_update"
    CONFIRM_NO_CREATE = "confirm_no_create"
    POST_POLICY_EVENT = "post_policy_event"
    ASK_POLICY = "ask_policy"


CONTROLS = frozenset(
    {
        *(Action.CONTROL_WRITE, Action.CONTROL_BEGIN, Action.CONTROL_RELEASE, Action.CONFIRM_HOLD),
        *(Action.CONFIRM_HELD, Action.CONTROL_WRITE_DONE),
        *(Action.CREATE_CONTROL_WRITE, Action.CREATE_CONTROL_BYSTANDER),
        *(Action.CREATE_CONTROL_CONFIRM, Action.CREATE_CONTROL_DELETE),
        *(Action.CREATE_CONTROL_ABSENT, Action.CREATE_CONTROL_UPDATE, Action.CONFIRM_NO_CREATE),
    }
)
"""What is done and seen in namespaces of their own, to show that a hold is sound (rule 10)."""


class Outcome(StrEnum):
    """How a call or a read ended."""

    DONE = "done"
    PROVIDER_ERROR = "provider_error"
    CONTRACT_VIOLATION = "contract_violation"
    NOT_OFFERED = "not_offered"
    NO_ANSWER = "no_answer"
    TARGET_LOST = "target_lost"


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reading(_Value):
    """What one surface showed in one look."""

    surface: str
    outcome: Outcome
    marker: bool = Field(default=False, description="The marker's secret was in a result.")
    bystander: bool = Field(default=False, description="The bystander's secret was in a result.")
    started_ms: FiniteFloat = Field(description="When the read was sent, since the trial began.")
    ended_ms: FiniteFloat = Field(description="When its answer was whole, since the trial began.")
    evidence_steps: tuple[int, ...] = Field(default=(), description="Exchanges of this read.")
    detail: str = Field(default="", description="What failed, where the read failed.")

    @property
    def lasted_ms(self) -> float:
        """From its sending to its whole answer."""
        return self.ended_ms - self.started_ms


class Look(_Value):
    """One read of all surfaces at once."""

    started_ms: FiniteFloat = Field(description="Since the trial began.")
    readings: tuple[Reading, ...]


class Manner(StrEnum):
    """In which way surfaces were looked at."""

    CONTROL = "control"
    SETTLE = "settle"
    WATCH = "watch"
    WATCH_WHOLE = "watch_whole"
    GLANCE = "glance"


class Watch(_Value):
    """All looks after one event.

    `control` looks until something is there, `settle` until an absence is proven, `watch` to the
    end of the window or the first sight, `watch_whole` always to the end, `glance` once.
    """

    manner: Manner
    window_ms: int = Field(description="How long the surfaces were to be watched, milliseconds.")
    since_ms: FiniteFloat = Field(
        description="When the event before it had ended, since the trial began."
    )
    looks: tuple[Look, ...] = ()


class Event(_Value):
    """One thing done or seen."""

    seq: int = Field(ge=1)
    step: int = Field(ge=0, description="The scenario's numbered step it belongs to.")
    phase: Phase
    action: Action
    detail: str = Field(description="For a reader; never read by the judge.")
    started_ms: FiniteFloat = Field(description="Since the trial began, monotonic clock.")
    ended_ms: FiniteFloat = Field(description="Since the trial began, monotonic clock.")
    outcome: Outcome = Outcome.DONE
    evidence_steps: tuple[int, ...] = Field(default=(), description="Exchanges kept as evidence.")
    record_id: str | None = Field(default=None, description="The memory that was dealt with.")
    receipt: HookReceipt | None = None
    restart: RestartReceipt | None = None
    watch: Watch | None = None
