"""The mapping of an MCP service: what a user gives, and the whole that it makes with a preset."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from memtru_ci.services.mcp.keys import MappedOperation, OperationKeys, Ready
from memtru_ci.services.rest.keys import Name, Scalar, Strict
from memtru_ci.services.rest.mapping import PresetName, ShortText, SurfaceName

HttpPath = Annotated[str, StringConstraints(pattern=r"^/[!-~]{0,1023}$")]
Transport = Literal["stdio", "http"]
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


class _Common(Strict):
    """The keys that are the same in a preset and beside it."""

    name: ShortText | None = Field(
        default=None, description="The service's name, for reports; without it, its own word."
    )
    version: ShortText | None = Field(
        default=None, description="Its version, for reports; without it, its own word."
    )
    transport: Transport = Field(
        default="stdio",
        description="`stdio`: the server is the container's main process, and is spoken to on its "
        "standard input and output. `http`: streamable HTTP.",
    )
    path: HttpPath = Field(default="/mcp", description="Where streamable HTTP is offered.")
    variables: dict[Name, Scalar] = Field(
        default_factory=dict, description="Values for templates, by name, such as a project."
    )
    isolation: ShortText | None = Field(
        default=None,
        description="How namespaces are kept apart; needed where the write does not name "
        "`{namespace}`.",
    )
    ready: list[Ready] = Field(
        default=[],
        max_length=5,
        description="Called in order, once in each session, before the server counts as ready: for "
        "servers whose first calls take long.",
    )
    consistency_window_ms: int = Field(
        default=0,
        ge=0,
        le=60_000,
        description="Milliseconds within which the service promises to show a write or a delete "
        "everywhere.",
    )


class McpService(_Common):
    """A memory service that is spoken to over the Model Context Protocol."""

    kind: Literal["mcp"] = Field(description="Its MCP tools, through this mapping.")
    preset: PresetName | None = Field(
        default=None, description="A mapping that comes with the gate; keys here are laid over it."
    )
    operations: dict[OperationName, OperationKeys | None] = Field(
        default_factory=dict,
        description="The contract's operations as the service's tools; null takes one away that "
        "the preset has.",
    )
    surfaces: dict[SurfaceName, OperationKeys | None] = Field(
        default_factory=dict,
        max_length=20,
        description="Further reads of an agent, by name; null takes one away.",
    )


class McpMapping(_Common):
    """A mapping that is whole: every operation in it can be called."""

    operations: dict[OperationName, MappedOperation]
    surfaces: dict[SurfaceName, MappedOperation] = Field(default_factory=dict)


def resolved(service: McpService) -> McpMapping:
    """The whole mapping: the preset, with the keys that were given laid over it.

    Raises `UsageError` for an unknown preset, a key that is missing, and a template that cannot
    be filled; its message names the key.
    """
    from memtru_ci.services.mcp.checking import check
    from memtru_ci.services.mcp.presets import merged

    mapping = merged(service)
    check(mapping)
    return mapping
