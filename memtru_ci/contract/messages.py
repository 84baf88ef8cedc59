"""The JSON messages of the contract: requests first, answers after them.

Nothing is coerced and unknown fields are ignored. Use `decode` to read one from bytes: it also
takes a `null` in an optional field as absent.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from memtru_ci.contract import MAX_CONSISTENCY_WINDOW_MS, MAX_ID_LENGTH
from memtru_ci.domain.receipt import HookReceipt

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_LENGTH)]
Metadata = dict[str, Any]


class Message(BaseModel):
    """The base of every message: frozen, strict, open to fields of later versions."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)


class Scoped(Message):
    """A request that concerns one namespace."""

    namespace: Identifier = Field(description="One isolated user or tenant.")


class WriteRequest(Scoped):
    """Store a memory."""

    content: str = Field(description="The text to remember.")
    thread_id: Identifier | None = Field(
        default=None, description="The conversation that the memory is written in."
    )
    metadata: Metadata | None = Field(default=None, description="Kept with the memory.")


class UpdateRequest(Scoped):
    """Give an existing memory another text."""

    content: str = Field(description="The new text.")


class SearchRequest(Scoped):
    """Find memories, best first."""

    query: str = Field(description="What is looked for.")
    limit: int = Field(ge=1, description="The most results wanted.")


class ListQuery(Scoped):
    """The query parameters of a list."""

    limit: int = Field(default=100, ge=1, description="The most results on a page.")
    cursor: str | None = Field(default=None, description="`next_cursor` of the page before.")


class PendingWriteRequest(Scoped):
    """Start a write and hold it before it is applied."""

    content: str = Field(description="The text of the held write.")
    target_id: Identifier | None = Field(
        default=None, description="The memory that is updated; absent where one is created."
    )
    thread_id: Identifier | None = Field(
        default=None, description="The conversation that the write belongs to."
    )


class ChatMessage(Message):
    """One message of a conversation."""

    role: Identifier = Field(description="Who speaks, for example `user` or `assistant`.")
    content: str = Field(description="What was said.")


class ConversationRequest(Scoped):
    """Append messages to the retained history of a thread."""

    thread_id: Identifier = Field(description="The conversation.")
    messages: tuple[ChatMessage, ...] = Field(
        min_length=1, strict=False, description="What was said, in order."
    )


class RestartRequest(Message):
    """An empty object."""


class RestoreRequest(Scoped):
    """Bring a backup back."""

    backup_id: Identifier = Field(description="From the receipt of the backup.")


class InspectRequest(Scoped):
    """Read a further surface."""

    query: str = Field(description="What the agent would look for.")


class ServiceIdentity(Message):
    """The service's own name and version."""

    name: str = Field(description="What the report calls the service.")
    version: str = Field(description="Which of its versions this is.")


class CapabilitiesAnswer(Message):
    """What the service can do."""

    contract: str = Field(pattern=r"^1\.[0-9]+$", description="The contract it speaks.")
    service: ServiceIdentity = Field(description="Its name and version.")
    capabilities: tuple[str, ...] = Field(
        strict=False, description="Names the gate does not know are reported and ignored."
    )
    consistency_window_ms: int | None = Field(
        default=None,
        ge=0,
        le=MAX_CONSISTENCY_WINDOW_MS,
        description="Milliseconds within which a write or a delete is seen everywhere.",
    )


class WrittenAnswer(Message):
    """The memory that was written or updated."""

    id: Identifier = Field(description="What the memory is deleted and updated by.")


class FoundMemory(Message):
    """A memory that was found or listed."""

    id: Identifier = Field(description="The id that it was written under.")
    content: str = Field(description="Its text; here the gate looks for the marker.")
    score: float | None = Field(default=None, description="Higher is better.")
    metadata: Metadata | None = Field(default=None, description="As it was written.")


class SearchAnswer(Message):
    """Memories, best first."""

    results: tuple[FoundMemory, ...] = Field(strict=False, description="At most `limit`.")


class ListAnswer(Message):
    """One page of memories; it may be shorter than `limit` and still have a next one."""

    results: tuple[FoundMemory, ...] = Field(strict=False, description="This page.")
    next_cursor: str | None = Field(description="`null` on the last page.")


class Surface(Message):
    """A further place where an agent reads memory."""

    name: Identifier = Field(description="Names it in the path that reads it.")
    description: str | None = Field(default=None, description="What it is, for a reader.")


class SurfacesAnswer(Message):
    """The surfaces there are beside search and list."""

    surfaces: tuple[Surface, ...] = Field(strict=False, description="May be empty.")


class SurfaceResult(Message):
    """A text that a surface shows."""

    content: str = Field(description="The text; here the gate looks for the marker.")
    id: Identifier | None = Field(default=None, description="The record it comes from, if any.")


class InspectAnswer(Message):
    """What a surface shows."""

    results: tuple[SurfaceResult, ...] = Field(
        strict=False, description="Everything that the agent would be shown."
    )


class PolicyEventsRequest(Message):
    """Events of the temporal policy, in their order of arrival."""

    events: tuple[Any, ...] = Field(
        strict=False,
        description="Each an event of the policy; one that is malformed is rejected by its index, "
        "and the others are taken.",
        json_schema_extra={"items": {"type": "object"}},
    )


class RejectedEvent(Message):
    """An event that changed nothing."""

    index: int = Field(ge=0, description="Its place in the request, from 0.")
    reason: str = Field(description="Why, for example `id_conflict: ...`.")


class PolicyEventsAnswer(Message):
    """What became of the events."""

    accepted: int = Field(ge=0, description="How many were taken.")
    rejected: tuple[RejectedEvent, ...] = Field(strict=False)


class PolicyQueryRequest(Message):
    """Ask which facts hold."""

    session: Identifier = Field(description="The session whose facts are asked for.")
    query: str | None = Field(
        default=None, description="Ranks the facts by their values; absent: all winners."
    )
    at: str = Field(description="The valid time, RFC 3339 with an offset.")
    known_at: str | None = Field(
        default=None, description="What was known then; absent: all that is known now."
    )
    limit: int = Field(ge=1, description="The most ids wanted.")


class PolicyQueryAnswer(Message):
    """The facts that hold, and optionally why."""

    ids: tuple[Identifier, ...] = Field(
        strict=False, description="The selected assertions and corrections, each once, best first."
    )
    results: tuple[Any, ...] | None = Field(
        default=None, strict=False, description="The facts with their provenance."
    )
    conflicts: tuple[Any, ...] | None = Field(
        default=None, strict=False, description="What lost to a winner of its key."
    )
    exclusions: tuple[Any, ...] | None = Field(
        default=None, strict=False, description="One reason for each id that is not returned."
    )


class BackupReceipt(HookReceipt):
    """The receipt of a backup."""

    backup_id: Identifier | None = Field(
        default=None, description="Names the backup; required where `executed` is true."
    )


class Problem(Message):
    """An error, as RFC 9457 has it."""

    type: str = "about:blank"
    title: str = Field(default="", description="What kind of error.")
    status: int | None = None
    detail: str | None = Field(default=None, description="What failed, and on what.")
