"""The mapping of a REST service: what a user gives, and the whole that it makes with a preset."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from memtru_ci.services.rest.expressions import Expression
from memtru_ci.services.rest.keys import (
    Header,
    HeaderValue,
    MappedOperation,
    Name,
    OperationKeys,
    PathTemplate,
    Scalar,
    Step,
    Strict,
)

PresetName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
SurfaceName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200)]
OperationName = Literal[
    "write",
    "update",
    "search",
    "list",
    "delete",
    "delete_thread",
    "delete_namespace",
    "record_conversation",
    "start_session",
    "consolidate",
    "run",
]


class VersionAt(Strict):
    """Where the service says its version."""

    path: PathTemplate = Field(description="Asked for with GET.")
    value: Expression = Field(description="Where the answer has it.")


class _Common(Strict):
    """The keys that are the same in a preset and beside it."""

    name: ShortText | None = Field(
        default=None, description="The service's name, for reports; needed without a preset."
    )
    version: ShortText | VersionAt | None = Field(
        default=None, description="Its version, or where it says it."
    )
    health: PathTemplate | None = Field(
        default=None,
        description="Answers 200 once the service is ready; without it, `health_path` counts.",
    )
    headers: dict[Header, HeaderValue] = Field(
        default_factory=dict,
        description="Headers of every request. One with `{token}` carries the token of `token_env` "
        "in place of a bearer token, and is left out where there is none.",
    )
    variables: dict[Name, Scalar] = Field(
        default_factory=dict, description="Values for templates, by name, such as a tenant."
    )
    isolation: ShortText | None = Field(
        default=None,
        description="How namespaces are kept apart; needed where the write does not name "
        "`{namespace}`.",
    )
    vector_dimensions: int | None = Field(
        default=None,
        ge=1,
        le=4096,
        description="Length of `{content_vector}` and `{query_vector}`.",
    )
    consistency_window_ms: int = Field(
        default=0,
        ge=0,
        le=60_000,
        description="Milliseconds within which the service promises to show a write or a delete "
        "everywhere.",
    )
    prepare: list[Step] = Field(
        default=[], max_length=5, description="Sent once before a namespace is used, in order."
    )


class RestService(_Common):
    """A memory service that is spoken to in its own REST API."""

    kind: Literal["rest"] = Field(description="Its own REST API, through this mapping.")
    preset: PresetName | None = Field(
        default=None, description="A mapping that comes with the gate; keys here are laid over it."
    )
    operations: dict[OperationName, OperationKeys | None] = Field(
        default_factory=dict,
        description="The contract's operations as the service has them; null takes one away that "
        "the preset has.",
    )
    surfaces: dict[SurfaceName, OperationKeys | None] = Field(
        default_factory=dict,
        max_length=20,
        description="Further reads of an agent, by name; null takes one away.",
    )


class RestMapping(_Common):
    """A mapping that is whole: every operation in it can be sent."""

    name: ShortText
    operations: dict[OperationName, MappedOperation]
    surfaces: dict[SurfaceName, MappedOperation] = Field(default_factory=dict)


def resolved(service: RestService) -> RestMapping:
    """The whole mapping: the preset, with the keys that were given laid over it.

    Raises `UsageError` for an unknown preset, a key that is missing, and a template that cannot
    be filled; its message names the key.
    """
    from memtru_ci.services.rest.checking import check
    from memtru_ci.services.rest.presets import merged

    mapping = merged(service)
    check(mapping)
    return mapping
