"""The whole record of one trial: what a verdict is made from, and can be made from again."""

from pydantic import BaseModel, ConfigDict, Field

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.timeline import Action, Event


class Record(BaseModel):
    """Markers, settings, events and evidence of one trial."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: str
    marker: Marker | None = Field(
        default=None, description="Null where nothing is marked: the policy suite."
    )
    bystander: Marker | None = Field(default=None, description="Null where the marker is.")
    unrelated: Marker | None = Field(default=None, description="Said to prove that ingestion ran.")
    control: Marker | None = Field(default=None, description="Held and released in the control.")
    created: Marker | None = Field(
        default=None, description="Written and deleted in the create control."
    )
    created_bystander: Marker | None = Field(
        default=None, description="What stays in the create control."
    )
    created_update: Marker | None = Field(
        default=None, description="What the deleted record of the create control is updated to."
    )
    update_never_creates: bool = Field(
        default=False, description="Declared by the user: an update never makes a record."
    )
    window_ms: int = Field(ge=0, description="The window that every watch had to cover.")
    consistency_window_ms: int = Field(
        default=0, ge=0, description="The service's own promise; sooner, a sighting proves nothing."
    )
    deletion_contract: str | None = Field(
        default=None, description="`memory_record` or `thread_checkpoint`."
    )
    missing: tuple[str, ...] = Field(default=(), description="Required capabilities not there.")
    stopped: str = Field(default="", description="Why the trial was cut short from outside.")
    events: tuple[Event, ...] = ()
    evidence: tuple[Exchange, ...] = ()

    @property
    def acted(self) -> tuple[Event, ...]:
        """The events of the trial itself, without what was let go once it had ended early."""
        ends = [one.seq for one in self.events if one.action is Action.RELEASE_EARLY]
        return tuple(
            one
            for one in self.events
            if one.action is not Action.UNCLAIMED and not (ends and one.seq >= ends[0])
        )

    def of(self, *actions: Action) -> tuple[Event, ...]:
        """The events with one of these actions, in order."""
        return tuple(event for event in self.events if event.action in actions)
