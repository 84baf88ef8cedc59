"""The results of a read: each with its text and its id, none left out, nothing made up."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.ports import Memory
from memtru_ci.services.mapping.selecting import texts_of
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reading import Body, came, id_of, selected


@dataclass(frozen=True)
class Result:
    """A result as it came, and what the mapping finds in it; `id` is null where it maps none."""

    raw: JsonValue
    content: str
    id: str | int | None

    @property
    def memory(self) -> Memory:
        """The same, as the contract has it."""
        return Memory(self.content, "" if self.id is None else str(self.id))


def results_of(mapped: Mapped, body: Body) -> list[Result]:
    """All results of an answer. Raises `ContractViolation` where one of them does not fit."""
    if body.is_empty:
        return []
    raw = _columns(mapped, body.value) if mapped.keys.columns else _listed(mapped, body.value)
    return [_result(mapped, one, number, len(raw)) for number, one in enumerate(raw, 1)]


def meaning_of(results: Sequence[Result]) -> JsonValue:
    """Results in the contract's form."""
    shown: list[JsonValue] = []
    for one in results:
        named: dict[str, JsonValue] = {} if one.id is None else {"id": str(one.id)}
        shown.append({**named, "content": one.content})
    return shown


def _listed(mapped: Mapped, value: JsonValue) -> list[JsonValue]:
    expression = mapped.keys.results or ""
    found = selected(mapped, "results", expression, value)
    if isinstance(found, list):
        return found
    raise mapped.misfit("results", f"no list of results at `{expression}` of {came(value)}")


def _columns(mapped: Mapped, value: JsonValue) -> list[JsonValue]:
    columns: dict[str, list[JsonValue]] = {}
    for name, expression in (mapped.keys.columns or {}).items():
        found = selected(mapped, f"columns.{name}", expression, value)
        if not isinstance(found, list):
            what = f"no list at `{expression}` of {came(value)}"
            raise mapped.misfit(f"columns.{name}", what)
        columns[name] = found
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise mapped.misfit("columns", f"columns of different lengths: {lengths}")
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _result(mapped: Mapped, raw: JsonValue, number: int, count: int) -> Result:
    keys = mapped.keys
    found = selected(mapped, "content", keys.content or "", raw)
    texts = [found] if isinstance(found, str) else texts_of(found)
    if texts is None:
        what = f"result {number} of {count} has no text at `{keys.content}`: {came(raw)}"
        raise mapped.misfit("content", what)
    named = None if keys.result_id is None else id_of(mapped, "result_id", keys.result_id, raw)
    return Result(raw, "\n".join(texts), named)
