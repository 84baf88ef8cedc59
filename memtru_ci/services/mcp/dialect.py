"""MCP as a dialect that targets speak, over either transport; imports no SDK before it connects."""

from memtru_ci.errors import UsageError
from memtru_ci.services.dialect import DEADLINE_S, Connection, Dialect, Pipe, PipedConnection
from memtru_ci.services.mcp.mapping import McpMapping, McpService, resolved
from memtru_ci.services.rest.remembered import Remembered


class McpHttpDialect:
    """Streamable HTTP."""

    def __init__(self, mapping: McpMapping) -> None:
        self._mapping = mapping
        # What was learnt of a namespace outlives a connection.
        self._remembered = Remembered()

    def connect(
        self, base_url: str, *, token: str | None = None, deadline_s: float = DEADLINE_S
    ) -> Connection:
        """See `Dialect`."""
        from memtru_ci.services.address import checked_base, checked_token
        from memtru_ci.services.mcp.connection import HttpConnection

        url = checked_base(base_url) + self._mapping.path
        known = self._remembered
        return HttpConnection(url, checked_token(token), self._mapping, known, deadline_s)


class McpStdioDialect:
    """Standard input and output of the container's main process; a `StdioDialect`, too."""

    def __init__(self, mapping: McpMapping) -> None:
        self._mapping = mapping
        # What was learnt of a namespace outlives a connection.
        self._remembered = Remembered()

    def connect(
        self, base_url: str, *, token: str | None = None, deadline_s: float = DEADLINE_S
    ) -> Connection:
        """Raises `UsageError`: such a server has no address."""
        raise UsageError(
            "`service.transport: stdio` needs a server that the gate itself starts in a container.",
            hint="Name an `image:` or `build:` target, or set `service.transport: http`.",
        )

    def connect_stdio(self, pipe: Pipe, *, deadline_s: float = DEADLINE_S) -> PipedConnection:
        """See `StdioDialect`."""
        from memtru_ci.services.mcp.connection import StdioConnection

        return StdioConnection(pipe, self._mapping, self._remembered, deadline_s)


def dialect_of(service: McpService) -> Dialect:
    """The dialect that a service's settings describe. Raises `UsageError` as `resolved` does."""
    mapping = resolved(service)
    return McpStdioDialect(mapping) if mapping.transport == "stdio" else McpHttpDialect(mapping)
