"""The results of a read: each with its text and its id, none made up, none of other namespaces."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.ports import Memory
from memtru_ci.services.mapping.selecting import came, id_of, selected, texts_of
from memtru_ci.services.mcp.keys import MappedOperation
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.rest.templates import Values


@dataclass(frozen=True)
class Result:
    """What the mapping finds in a result: null where it maps no content, or no id."""

    content: str | None
    id: str | int | None


def results_of(
    mapped: Mapped, keys: MappedOperation, value: JsonValue, values: Values
) -> tuple[list[Result], int]:
    """The namespace's results, and how many came in all.

    Raises `ContractViolation` where one of them does not fit.
    """
    if value is None:
        return [], 0
    raw = _listed(mapped, keys, value)
    own = [one for one in raw if _is_own(mapped, keys, one, values)]
    return [_result(mapped, keys, one) for one in own], len(raw)


def meaning_of(memories: Sequence[Memory]) -> list[JsonValue]:
    """Results in the contract's form."""
    return [{**({"id": one.id} if one.id else {}), "content": one.content} for one in memories]


def content_of(mapped: Mapped, value: JsonValue) -> str:
    """The text of one result. Raises `ContractViolation`."""
    found = selected(mapped, "content", mapped.keys.content or "@", value)
    texts = [found] if isinstance(found, str) else texts_of(found)
    if texts is None:
        raise mapped.misfit("content", f"no text at `{mapped.keys.content}` of {came(value)}")
    return "\n".join(texts)


def _listed(mapped: Mapped, keys: MappedOperation, value: JsonValue) -> list[JsonValue]:
    if keys.results is None:
        return [value]
    found = selected(mapped, "results", keys.results, value)
    if isinstance(found, list):
        return found
    raise mapped.misfit("results", f"no list of results at `{keys.results}` of {came(value)}")


def _is_own(mapped: Mapped, keys: MappedOperation, raw: JsonValue, values: Values) -> bool:
    belonging = keys.namespaced_by
    if belonging is None:
        return True
    found = selected(mapped, "namespaced_by.value", belonging.value, raw)
    if not isinstance(found, str):
        what = f"no text at `{belonging.value}` of {came(raw)}"
        raise mapped.misfit("namespaced_by.value", what)
    return found.startswith(mapped.text("namespaced_by.prefix", belonging.prefix, values))


def _result(mapped: Mapped, keys: MappedOperation, raw: JsonValue) -> Result:
    is_shown = keys.content is not None or keys.read is None
    content = content_of(mapped, raw) if is_shown else None
    named = None if keys.result_id is None else id_of(mapped, "result_id", keys.result_id, raw)
    return Result(content, named)
