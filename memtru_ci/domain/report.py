"""The report of a run: `report.json`, schema version 1.0."""

from pydantic import BaseModel, ConfigDict, Field

from memtru_ci.domain.record import Record
from memtru_ci.domain.verdict import Cause, Trigger, Verdict

SCHEMA_VERSION = "1.0"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AfterlifeEvent(_Part):
    """One line of the timeline as the afterlife reference has it."""

    seq: int
    phase: str
    action: str
    detail: str
    marker_visible: bool | None = Field(default=None, description="Only where surfaces were read.")
    surfaces: list[str] | None = Field(default=None, description="Where the marker was visible.")
    elapsed_ms: int = Field(description="Since the trial began, milliseconds.")
    evidence_step: int | None = Field(default=None, description="First exchange kept for it.")


class Afterlife(_Part):
    """The `afterlife` object of the afterlife reference, schema 1.0."""

    deletion_contract: str = Field(description="`memory_record` or `thread_checkpoint`.")
    hooks_executed: list[str] = Field(description="Lifecycle events that reported that they ran.")
    surfaces_checked: list[str]
    events: list[AfterlifeEvent]
    resurrected: bool
    first_resurrection_event: int | None = None
    resurrection_trigger: str | None = None
    reproduce: list[str] = Field(description="Commands that show it again.")


class WindowFacts(_Part):
    """How well one watch covered its window."""

    seq: int = Field(description="The event of this watch.")
    action: str
    manner: str
    window_ms: int
    looks: int
    counted: int = Field(description="Looks that counted on every surface that can prove absence.")
    largest_gap_ms: float | None = Field(description="Between starts of counting looks.")
    closing_ms: float | None = Field(description="When the last look began, since the window did.")


class SurfaceFacts(_Part):
    """What a surface can prove."""

    name: str
    proven: bool = Field(description="It showed marker and bystander before the delete.")
    marker_seen_after: bool = Field(description="It showed the marker after the proven absence.")


class HoldFacts(_Part):
    """The order of a held write, from one monotonic clock (catalogue, rule 10), milliseconds."""

    level: str = Field(description="`declared`: the service's own hook, at its receipt's word.")
    mechanism: str
    sent: float | None = None
    seen_at_hold: float | None = None
    delete_sent: float | None = None
    delete_acknowledged: float | None = None
    absence_proven: float | None = None
    released: float | None = None
    write_done: float | None = None
    outcome: str = Field(default="", description="The write's final outcome as far as is known.")
    control_delivered: bool | None = Field(
        default=None, description="The same mechanism delivered an update of a living record."
    )


class CleanupFacts(_Part):
    """What the trial removed again, and what it could not."""

    deleted: list[str] = Field(default_factory=list)
    left: list[str] = Field(default_factory=list, description="Still there, and why.")


class ScenarioResult(_Part):
    """One scenario: its judgement, and the record it was judged from."""

    scenario: str
    title: str
    suite: str
    severity: str
    verdict: Verdict
    cause: Cause | None = None
    reason: str
    trigger: Trigger | None = None
    deciding_event: int | None = Field(default=None, description="`seq` of the event it hangs on.")
    finding: str | None = Field(default=None, description="The finding code, for FAIL only.")
    duration_ms: int = 0
    surfaces: list[SurfaceFacts] = Field(default_factory=list)
    windows: list[WindowFacts] = Field(default_factory=list)
    hold: HoldFacts | None = None
    afterlife: Afterlife | None = None
    notes: list[str] = Field(default_factory=list, description="For the reader; change nothing.")
    cleanup: CleanupFacts = Field(default_factory=CleanupFacts)
    log_tail: str = Field(default="", description="The target's last log lines, where it died.")
    record: Record | None = Field(default=None, description="Null where no trial was begun.")


class ToolFacts(_Part):
    name: str = "memtru-ci"
    version: str


class ServiceFacts(_Part):
    name: str
    version: str
    capabilities: list[str]
    consistency_window_ms: int = 0


class TestedTarget(_Part):
    """What was tested."""

    name: str = Field(description="As the user named it, for example `image:acme/memory:1.2`.")
    kind: str
    image_digest: str | None = None
    service: ServiceFacts | None = Field(default=None, description="Null where it never answered.")
    notes: list[str] = Field(default_factory=list, description="Opt-outs from isolation.")


class RunSettings(_Part):
    """The settings that a reader needs to read the verdicts."""

    scenarios: list[str] = Field(description="Ids that were to be performed, in order.")
    asked_by_id: list[str] = Field(default_factory=list)
    required: list[str] = Field(default_factory=list)
    window_ms: int
    timeout_ms: int
    fail_on: str
    fail_on_inconclusive: bool = True
    seed: int
    sarif_category: str = "memtru"
    command: list[str] = Field(
        default_factory=lambda: ["memtru-ci", "test"],
        description="Performs the run again; scenarios and seed are to be added.",
    )


class Counts(_Part):
    passed: int = 0
    failed: int = 0
    inconclusive: int = 0
    error: int = 0
    skipped: int = 0


class GateFacts(_Part):
    """Whether the gate is open, and why not."""

    open: bool
    exit_code: int
    reasons: list[str] = Field(default_factory=list)


class Report(_Part):
    """Everything about one run."""

    schema_version: str = SCHEMA_VERSION
    tool: ToolFacts
    run_id: str
    started_at: str = Field(description="RFC 3339, UTC.")
    duration_ms: int
    complete: bool = Field(description="Every scenario ended by itself, none in ERROR or unknown.")
    interrupted: str = Field(default="", description="What cut the run short, if anything did.")
    target: TestedTarget
    settings: RunSettings
    verdict: Verdict
    counts: Counts
    gate: GateFacts
    warnings: list[str] = Field(default_factory=list)
    results: list[ScenarioResult]
    left_behind: list[str] = Field(
        default_factory=list, description="Docker objects that could not be removed."
    )
