"""Selects ids, counts, texts and cursors from an answer, or says which key does not fit it."""

from collections.abc import Iterator
from typing import Protocol

from pydantic import JsonValue
from pydantic_core import to_json

from memtru_ci.contract import MAX_ID_LENGTH
from memtru_ci.domain.legible import legible
from memtru_ci.domain.receipt import CreatedRecord, RecordKind
from memtru_ci.errors import ContractViolation
from memtru_ci.services.rest.expressions import Unselectable, is_truthy, select
from memtru_ci.services.rest.keys import Paging

SHOWN = 160
"""Characters of an answer in a message."""
MOST_CREATED = 1000
"""Ids that are taken from one lifecycle operation."""


class Placed(Protocol):
    """An operation of a mapping, at its place below `service:`."""

    def misfit(self, key: str, what: str) -> ContractViolation:
        """The mapping does not fit what came; `key` is the one to change."""
        ...


def selected(placed: Placed, key: str, expression: str, value: JsonValue) -> JsonValue:
    """What an expression of the mapping selects. Raises `ContractViolation`."""
    try:
        found: JsonValue = select(expression, value)
    except Unselectable as error:
        raise placed.misfit(key, f"{error}: {came(value)}") from None
    return found


def id_of(placed: Placed, key: str, expression: str, value: JsonValue) -> str | int:
    """An id: a text of at most 512 characters, or a whole number. Raises `ContractViolation`."""
    found = selected(placed, key, expression, value)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    if isinstance(found, str) and 0 < len(found) <= MAX_ID_LENGTH:
        return found
    what = "no id" if found is None else f"{came(found)}, which is no id,"
    raise placed.misfit(key, f"{what} at `{expression}` of {came(value)}")


def count_of(placed: Placed, key: str, expression: str, value: JsonValue) -> int:
    """A whole number from 0. Raises `ContractViolation`."""
    count = selected(placed, key, expression, value)
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    raise placed.misfit(key, f"{came(count)} is no count")


def created_of(
    placed: Placed, key: str, expression: str, value: JsonValue
) -> tuple[CreatedRecord, ...]:
    """The memories whose ids are listed. Raises `ContractViolation`."""
    made = selected(placed, key, expression, value)
    if not isinstance(made, list):
        raise placed.misfit(key, f"{came(made)} is no list of ids")
    ids = [str(id_of(placed, key, "@", one)) for one in made[:MOST_CREATED]]
    return tuple(CreatedRecord(kind=RecordKind.MEMORY, id=one) for one in ids)


def next_cursor(
    placed: Placed, paging: Paging | None, value: JsonValue, cursor: str | None, count: int
) -> str | None:
    """How the list goes on after an answer; null at its end. Raises `ContractViolation`."""
    if paging is None:
        return None
    if paging.more is not None:
        if not is_truthy(selected(placed, "next.more", paging.more, value)):
            return None
    elif paging.cursor is None and count == 0:
        return None
    if paging.page is not None:
        return str(int(cursor or paging.page) + 1)
    if paging.offset is not None:
        return str(int(cursor or paging.offset) + count)
    following = selected(placed, "next.cursor", paging.cursor or "", value)
    if following is None or following == "":
        return None
    if isinstance(following, bool) or not isinstance(following, (str, int)):
        raise placed.misfit("next.cursor", f"{came(following)} is no cursor")
    return str(following)


def texts_of(value: JsonValue) -> list[str] | None:
    """The texts in lists and objects; None where anything else than text is among them."""
    leaves = list(_leaves(value)) if isinstance(value, (list, dict)) else [None]
    texts = [one for one in leaves if isinstance(one, str)]
    if any(one is not None and not isinstance(one, str) for one in leaves):
        return None
    return texts if texts or not leaves else None


def came(value: JsonValue) -> str:
    """A short picture of what came, for a message."""
    return legible(to_json(value).decode("utf-8", "replace"), SHOWN)


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    else:
        yield value
