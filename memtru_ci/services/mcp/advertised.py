"""What an MCP service is and can do: its mapping says it, and the server lists the tools for it."""

from collections.abc import Iterator

from pydantic import JsonValue

from memtru_ci.contract import VERSION
from memtru_ci.contract.operations import BY_NAME
from memtru_ci.domain.capability import Capability
from memtru_ci.domain.legible import legible
from memtru_ci.domain.nearest import did_you_mean
from memtru_ci.errors import ContractViolation
from memtru_ci.ports import Answer, ServiceInfo
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mcp.answers import result_of
from memtru_ci.services.mcp.attempts import Reply
from memtru_ci.services.mcp.caller import Caller
from memtru_ci.services.mcp.calls import Call
from memtru_ci.services.mcp.mapping import McpMapping

LIST = "tools/list"
MOST_PAGES = 20
UNKNOWN = "unknown"


async def ask(caller: Caller, greeting: JsonValue) -> Answer[ServiceInfo]:
    """List the tools; `greeting` is what the server answered to initialize.

    Raises `ServiceError`: `ContractViolation` also where a mapped tool is not listed.
    """
    info = info_of(caller.mapping, greeting)
    meaning = meaning_of(info)
    listed: set[str] = set()
    steps: list[int] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        parameters: dict[str, JsonValue] = {} if cursor is None else {"cursor": cursor}

        def read(reply: Reply) -> Understood[str | None]:
            result = result_of(LIST, reply)
            listed.update(names_in(result))
            following = result.get("nextCursor")
            if not isinstance(following, str) or not following:
                check(caller.mapping, listed)
                return Understood(None, meaning)
            return Understood(following, meaning)

        call = Call("capabilities", LIST, "", parameters, request=parameters)
        page = await caller.calls.make(call, read, before={"initialize": greeting})
        steps += page.steps
        cursor = page.value
        if cursor is None:
            return Answer(info, tuple(steps))
    why = f"the tools go on after {MOST_PAGES} pages"
    raise ContractViolation(LIST, why, tuple(steps), field="nextCursor")


def info_of(mapping: McpMapping, greeting: JsonValue) -> ServiceInfo:
    """Name and version are the server's own word, the rest is the mapping's."""
    said = greeting.get("serverInfo") if isinstance(greeting, dict) else None
    own = said if isinstance(said, dict) else {}
    name, version = own.get("name"), own.get("version")
    return ServiceInfo(
        legible(mapping.name or (name if isinstance(name, str) else UNKNOWN)),
        legible(mapping.version or (version if isinstance(version, str) else UNKNOWN)),
        frozenset(_capabilities(mapping)),
        mapping.consistency_window_ms,
    )


def meaning_of(info: ServiceInfo) -> JsonValue:
    """The same as the contract has it."""
    named: list[JsonValue] = [*sorted(info.capabilities)]
    return {
        "contract": VERSION,
        "service": {"name": info.name, "version": info.version},
        "capabilities": named,
        "consistency_window_ms": info.consistency_window_ms,
    }


def surface_names(caller: Caller, namespace: str) -> Answer[list[str]]:
    """The further surfaces: the mapping names them, and evidence says so."""
    names = sorted(caller.mapping.surfaces)
    shown: list[JsonValue] = [{"name": one} for one in names]
    call = Call("retrieval_surfaces", "NONE", "service.surfaces", {}, namespace=namespace)
    step = caller.calls.state(call, {"surfaces": shown})
    return Answer(names, (step,))


def check(mapping: McpMapping, listed: set[str]) -> None:
    """Raises `ContractViolation`, which names tool and key, for a tool that is not listed."""
    for place, tool in tools_of(mapping):
        if tool not in listed:
            field = f"service.{place}.tool"
            there = ", ".join(legible(one, 60) for one in sorted(listed)[:20]) or "none"
            hint = did_you_mean(tool, listed) or f"It lists {there}."
            why = f"the server lists no tool {tool!r}; see `{field}`. {hint}"
            raise ContractViolation(LIST, why, field=field)


def tools_of(mapping: McpMapping) -> Iterator[tuple[str, str]]:
    """Every mapped tool and where it stands."""
    mapped = [(f"operations.{name}", keys) for name, keys in mapping.operations.items()]
    mapped += [(f"surfaces.{name}", keys) for name, keys in mapping.surfaces.items()]
    for number, ready in enumerate(mapping.ready):
        yield f"ready.{number}", ready.tool
    for place, keys in mapped:
        yield place, keys.tool
        if keys.read is not None:
            yield f"{place}.read", keys.read.tool


def names_in(result: dict[str, JsonValue]) -> list[str]:
    """The names in a list of tools."""
    tools = result.get("tools")
    named = (
        (one.get("name") for one in tools if isinstance(one, dict))
        if isinstance(tools, list)
        else ()
    )
    return [one for one in named if isinstance(one, str)]


def _capabilities(mapping: McpMapping) -> Iterator[str]:
    for name in mapping.operations:
        operation = BY_NAME.get(name)
        if operation is not None and operation.capability is not None:
            yield operation.capability.value
    if mapping.surfaces:
        yield Capability.LIFECYCLE_SURFACES.value
