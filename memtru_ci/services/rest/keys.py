"""The keys of one operation of a REST mapping."""

from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    model_validator,
)

from memtru_ci.services.rest.expressions import Expression

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
PathTemplate = Annotated[str, StringConstraints(pattern=r"^/[!\"$->@-~]{0,1023}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Header = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,63}$")]
HeaderValue = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,1024}$")]
Scalar = str | int | float | bool
Status = Annotated[int, Field(ge=200, le=599)]


def flat(query: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A query as it is; raises `ValueError` where a value is more than scalars."""
    for name, value in query.items():
        inner = value if isinstance(value, list) else [value]
        if any(one is None or isinstance(one, (list, dict)) for one in inner):
            raise ValueError(f"`{name}` must be a text, a number, true, false, or a list of them")
    return query


Query = Annotated[dict[str, JsonValue], AfterValidator(flat)]


class Strict(BaseModel):
    """Nothing is coerced, nothing unknown is taken."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Paging(Strict):
    """How the next page is asked for: by one of `cursor`, `page` and `offset`."""

    cursor: Expression | None = Field(
        default=None,
        description="Where the next page's cursor is in the answer; it is sent as `{cursor}`.",
    )
    page: int | None = Field(
        default=None, ge=0, le=1, description="Number of the first page, sent as `{page}`."
    )
    offset: int | None = Field(
        default=None, ge=0, le=1, description="Number of the first result, sent as `{offset}`."
    )
    more: Expression | None = Field(
        default=None,
        description="True in an answer that is not the last. Without it, a list by `page` or "
        "`offset` ends with the first page that is empty.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [one for one in (self.cursor, self.page, self.offset) if one is not None]
        if len(given) != 1:
            raise ValueError("one of `cursor`, `page` and `offset` is needed, and only one")
        return self


class Task(Strict):
    """Work that the service has only accepted, and where its end is seen."""

    id: Expression | None = Field(
        default=None,
        description="Where the first answer names the task; it is sent as `{task_id}`.",
    )
    path: PathTemplate = Field(description="Where the task is asked for, with GET.")
    done: Expression = Field(description="True in the answer once the task is done.")
    failed: Expression | None = Field(
        default=None, description="True in the answer where the task has failed."
    )
    interval_ms: int = Field(
        default=200, ge=20, le=10_000, description="Milliseconds between two requests."
    )
    timeout_ms: int = Field(
        default=10_000, ge=100, le=120_000, description="Milliseconds that the task may take."
    )
    answer: Literal["last", "first"] = Field(
        default="last",
        description="The answer that `id`, `results` and so on are looked for in: the task's "
        "(`last`) or the one that accepted it (`first`).",
    )


class Resolve(Strict):
    """How the id that an operation wants is found, where it is not the one that `write` gave."""

    by: Literal["list", "search"] = Field(
        description="The read that shows it. A search asks what the trial last asked in this "
        "namespace; what is deleted is never asked for."
    )
    match: Expression | None = Field(
        default=None,
        description="Within a result, what must equal the id that `write` gave. Without it, the "
        "result is the one whose content holds the text that was written.",
    )
    id: Expression = Field(description="Within that result, the id that is wanted.")


class OperationKeys(Strict):
    """One operation; what a preset has need not be said again."""

    method: Method | None = Field(
        default=None, description="The method of the request; needed where no preset has it."
    )
    path: PathTemplate | None = Field(
        default=None,
        description="Its path, from the base address; a template. Needed where no preset has it.",
    )
    query: Query = Field(
        default_factory=dict,
        description="Query parameters; templates. A list repeats its parameter.",
    )
    headers: dict[Header, HeaderValue] = Field(
        default_factory=dict, description="Further headers; templates."
    )
    body: JsonValue = Field(default=None, description="The JSON body; a template. None without.")
    limit: int = Field(
        default=100, ge=1, le=10_000, description="Results asked for, sent as `{limit}`."
    )
    status: list[Status] | None = Field(
        default=None, description="Statuses that are a success. Without it, every 2xx is."
    )
    ok: Expression | None = Field(
        default=None,
        description="Must be true in a success; where it is not, the service has refused.",
    )
    gone: list[Status] = Field(
        default=[404, 410],
        description="Statuses of an update or a delete that mean that there is no such record.",
    )
    gone_when: Expression | None = Field(
        default=None,
        description="True in an answer that means so, for services that say it with another "
        "status.",
    )
    empty: list[Status] = Field(
        default=[],
        description="Statuses of a read that mean that the namespace holds nothing.",
    )
    id: Expression | None = Field(
        default=None,
        description="Where a write's or an update's answer has the id: a text or a whole number. "
        "An update without it keeps its id.",
    )
    own_id: bool = Field(
        default=False, description="The write's id is the `{new_id}` that the gate has sent."
    )
    results: Expression | None = Field(
        default=None, description="Where a read's answer has the list of results."
    )
    columns: dict[Name, Expression] | None = Field(
        default=None,
        description="In place of `results`, for answers by column: lists of the same length; "
        "each result has one of each, under these names.",
    )
    content: Expression | None = Field(
        default=None,
        description="Within a result, its text. Texts in lists and objects are put together.",
    )
    result_id: Expression | None = Field(
        default=None, description="Within a result, its id: a text or a whole number."
    )
    next: Paging | None = Field(default=None, description="How a list goes on.")
    created: Expression | None = Field(
        default=None,
        description="In a lifecycle operation's answer, ids of the memories that it has made.",
    )
    processed: Expression | None = Field(
        default=None,
        description="In a lifecycle operation's answer, how many messages or records it has "
        "dealt with.",
    )
    task: Task | None = Field(default=None, description="Its end, where it is asynchronous.")
    resolve: Resolve | None = Field(
        default=None, description="The id to be sent, where it is not the one that `write` gave."
    )

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.results is not None and self.columns is not None:
            raise ValueError("`results` and `columns` are two forms of the same; keep one")
        if self.id is not None and self.own_id:
            raise ValueError("`id` and `own_id` name two ids; keep one")
        return self


class MappedOperation(OperationKeys):
    """One operation, whole."""

    method: Method
    path: PathTemplate


class Step(Strict):
    """A request that is sent once before a namespace is used, such as making a collection."""

    method: Method = Field(description="The method of the request.")
    path: PathTemplate = Field(description="Its path; a template.")
    query: Query = Field(default_factory=dict, description="Query parameters; templates.")
    body: JsonValue = Field(default=None, description="The JSON body; a template.")
    status: list[Status] | None = Field(
        default=None, description="Statuses that are a success. Without it, every 2xx is."
    )
    variables: dict[Name, Expression] = Field(
        default_factory=dict,
        description="What later templates of this namespace take from the answer.",
    )
