"""How the service of a run is spoken to."""

from memtru_ci.services.dialect import CONTRACT, Dialect
from memtru_ci.settings.model import Settings


def dialect_of(settings: Settings) -> Dialect:
    """The contract, or what `service` maps to it. Raises `UsageError` for a bad mapping."""
    service = settings.service
    match service.kind if service is not None else "contract":
        case "rest":
            from memtru_ci.services.rest.dialect import RestDialect
            from memtru_ci.services.rest.mapping import RestService, resolved

            assert isinstance(service, RestService)
            return RestDialect(resolved(service))
        case "mcp":
            from memtru_ci.services.mcp import dialect
            from memtru_ci.services.mcp.mapping import McpService

            assert isinstance(service, McpService)
            return dialect.dialect_of(service)
    return CONTRACT
