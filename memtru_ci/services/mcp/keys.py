"""The keys of one operation of an MCP mapping: the tool, its arguments, where the answer is."""

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from memtru_ci.services.rest.expressions import Expression
from memtru_ci.services.rest.keys import Paging, Strict

ToolName = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,128}$")]
Template = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Source = Literal["structured", "json_text", "text"]


class Belonging(Strict):
    """How a result tells its namespace, for services that show those of all namespaces."""

    value: Expression = Field(description="Within a result, the text that tells it.")
    prefix: Template = Field(
        description="What that text begins with in the namespace that was asked; a template. "
        "Results that begin otherwise are another namespace's, and are left out."
    )


class ToolKeys(Strict):
    """A call of a tool, and how its answer is taken; what a preset has need not be said again."""

    tool: ToolName | None = Field(default=None, description="The name of the tool.")
    arguments: dict[str, JsonValue] = Field(
        default_factory=dict, description="What it is called with; a template."
    )
    source: Source = Field(
        default="structured",
        description="What expressions select from: the tool's structured content, the JSON in its "
        "text, or the text itself.",
    )
    ok: Expression | None = Field(
        default=None,
        description="Must be true in a success; where it is not, the service has refused.",
    )
    gone: list[Template] = Field(
        default=[],
        max_length=20,
        description="Texts, templates, one of which is in the error of a call whose id the "
        "service does not know.",
    )
    gone_when: Expression | None = Field(
        default=None,
        description="True in an answer that means so, for services that say it with a success.",
    )
    results: Expression | None = Field(
        default=None,
        description="Where a read's answer has the list of results; without it the whole is one.",
    )
    content: Expression | None = Field(
        default=None,
        description="Within a result, its text. Texts in lists and objects are put together.",
    )


class Ready(Strict):
    """A call that a server must have answered before it counts as ready."""

    tool: ToolName = Field(description="The name of the tool; it should only read.")
    arguments: dict[str, JsonValue] = Field(
        default_factory=dict, description="What it is called with; `variables` may be in it."
    )


class ReadKeys(ToolKeys):
    """A second call for each result of a read, where the read shows no contents."""


class OperationKeys(ToolKeys):
    """One operation; what a preset has need not be said again."""

    limit: int = Field(
        default=100, ge=1, le=10_000, description="Results asked for, sent as `{limit}`."
    )
    empty: list[Template] = Field(
        default=[],
        max_length=20,
        description="Texts, templates, one of which is in the error of a read, or of a delete of a "
        "namespace or a thread, where nothing is held.",
    )
    id: Expression | None = Field(
        default=None,
        description="Where a write's or an update's answer has the id: a text or a whole number. "
        "An update without it keeps its id.",
    )
    own_id: Template | None = Field(
        default=None,
        description="The write's id, where the caller chooses it: a template, which may hold "
        "`{new_id}` and is sent as `{id}`.",
    )
    result_id: Expression | None = Field(
        default=None, description="Within a result, its id: a text or a whole number."
    )
    namespaced_by: Belonging | None = Field(
        default=None, description="Which results are the namespace's, where all are shown."
    )
    read: ReadKeys | None = Field(
        default=None,
        description="Called for each result, with its id as `{result_id}`; its `content` is then "
        "the result's. A result whose read says that it is gone is left out.",
    )
    next: Paging | None = Field(default=None, description="How a list goes on.")
    created: Expression | None = Field(
        default=None,
        description="In a lifecycle operation's answer, ids of the memories that it has made.",
    )
    processed: Expression | None = Field(
        default=None,
        description="In a lifecycle operation's answer, how many messages or records it handled.",
    )

    @model_validator(mode="after")
    def _one_id(self) -> Self:
        if self.id is not None and self.own_id is not None:
            raise ValueError("`id` and `own_id` name two ids; keep one")
        return self


class MappedRead(ReadKeys):
    """A second call, whole."""

    tool: ToolName


class MappedOperation(OperationKeys):
    """One operation, whole."""

    tool: ToolName
    read: MappedRead | None = None
