"""What a mapped service is and can do: the mapping says it, and a request shows it is there."""

from pydantic import JsonValue

from memtru_ci.contract import VERSION
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.legible import legible
from memtru_ci.ports import Answer, ServiceInfo
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.http import Reply
from memtru_ci.services.rest.keys import MappedOperation
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.mapping import RestMapping, VersionAt
from memtru_ci.services.rest.reading import body_of, came, selected
from memtru_ci.services.rest.sender import Sender

UNKNOWN = "unknown"
"""The version of a service whose mapping does not say where it is."""

_CAPABILITIES = {
    "write": Capability.MEMORY_WRITE,
    "update": Capability.MEMORY_UPDATE,
    "search": Capability.MEMORY_SEARCH,
    "list": Capability.MEMORY_LIST,
    "delete": Capability.MEMORY_DELETE,
    "delete_thread": Capability.THREAD_DELETE,
    "delete_namespace": Capability.NAMESPACE_DELETE,
    "record_conversation": Capability.LIFECYCLE_CONVERSATION,
    "start_session": Capability.LIFECYCLE_NEW_SESSION,
    "consolidate": Capability.LIFECYCLE_CONSOLIDATE,
}


def capabilities_of(mapping: RestMapping) -> frozenset[str]:
    """The capabilities that the mapped operations amount to, by name."""
    operations: list[str] = [*mapping.operations]
    found = {_CAPABILITIES[one].value for one in operations if one in _CAPABILITIES}
    surfaces = {Capability.LIFECYCLE_SURFACES.value} if mapping.surfaces else set()
    return frozenset(found | surfaces)


def capability_named(operation: str) -> str:
    """The capability that an operation amounts to, for the page; a surface has none of its own."""
    if operation in _CAPABILITIES:
        return f"`{_CAPABILITIES[operation].value}`"
    return "a run to be held" if operation == "run" else f"`{Capability.LIFECYCLE_SURFACES.value}`"


async def ask(sender: Sender, health_path: str) -> Answer[ServiceInfo]:
    """Ask for the version, or the health, of the service. Raises `ServiceError`."""
    mapping = sender.mapping
    at = mapping.version if isinstance(mapping.version, VersionAt) else None
    path, place = (at.path, "version") if at else (mapping.health or health_path, "health")
    keys = MappedOperation(method="GET", path=path, gone=[])
    mapped = Mapped("capabilities", keys, place)

    def read(reply: Reply) -> Understood[ServiceInfo]:
        body = body_of(mapped, reply, is_needed=at is not None)
        if at is not None:
            version = _version(mapped, at, body.value)
        else:
            version = mapping.version if isinstance(mapping.version, str) else UNKNOWN
        info = ServiceInfo(
            legible(mapping.name),
            legible(version),
            capabilities_of(mapping),
            mapping.consistency_window_ms,
        )
        return Understood(info, _meaning(info))

    return await sender.exchanges.make(sender.bare(mapped), read)


def surface_names(sender: Sender, namespace: str) -> Answer[list[str]]:
    """The further surfaces: the mapping names them, and evidence says so."""
    names = sorted(sender.mapping.surfaces)
    shown: JsonValue = {"surfaces": [{"name": one} for one in names]}
    step = sender.exchanges.state("retrieval_surfaces", namespace, "service.surfaces", shown)
    return Answer(names, (step,))


def _version(mapped: Mapped, at: VersionAt, value: JsonValue) -> str:
    version = selected(mapped, "value", at.value, value)
    if isinstance(version, str) and version:
        return version
    raise mapped.misfit("value", f"no version at `{at.value}` of {came(value)}")


def _meaning(info: ServiceInfo) -> JsonValue:
    named: list[JsonValue] = [*sorted(info.capabilities)]
    return {
        "contract": VERSION,
        "service": {"name": info.name, "version": info.version},
        "capabilities": named,
        "consistency_window_ms": info.consistency_window_ms,
    }
