"""What a success says, as a value and in the contract's form: ids and receipts."""

from pydantic import JsonValue

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mcp.answers import came, id_of, selected
from memtru_ci.services.mcp.caller import Understand
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.rest.remembered import Namespace

MOST_CREATED = 1000
"""Ids that are taken from one lifecycle operation."""
DELETED = 200
"""The status that a delete would have over HTTP."""


def written(known: Namespace, otherwise: str) -> Understand[str]:
    """Reads the id of a write or an update; `otherwise` where the mapping finds none in it."""

    def read(mapped: Mapped, value: JsonValue) -> Understood[str]:
        expression = getattr(mapped.keys, "id", None)
        memory_id = otherwise
        if expression is not None:
            memory_id = known.known(id_of(mapped, "id", expression, value))
        return Understood(memory_id, {"id": memory_id})

    return read


def deleted(mapped: Mapped, value: JsonValue) -> Understood[int]:
    """Reads a delete: that it was acknowledged is all there is."""
    return Understood(DELETED, {})


def receipt(mapped: Mapped, value: JsonValue) -> Understood[HookReceipt]:
    """Reads a lifecycle operation that the service has acknowledged."""
    made = HookReceipt(
        executed=True,
        detail=f"{mapped.endpoint} answered",
        created=_created(mapped, value),
        processed=_processed(mapped, value),
    )
    return Understood(made, made.model_dump(mode="json"))


def _processed(mapped: Mapped, value: JsonValue) -> int | None:
    expression = getattr(mapped.keys, "processed", None)
    if expression is None:
        return None
    if value is None:
        return 0
    count = selected(mapped, "processed", expression, value)
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    raise mapped.misfit("processed", f"{came(count)} is no count")


def _created(mapped: Mapped, value: JsonValue) -> tuple[CreatedRecord, ...]:
    expression = getattr(mapped.keys, "created", None)
    if expression is None or value is None:
        return ()
    made = selected(mapped, "created", expression, value)
    if not isinstance(made, list):
        raise mapped.misfit("created", f"{came(made)} is no list of ids")
    ids = [str(id_of(mapped, "created", "@", one)) for one in made[:MOST_CREATED]]
    return tuple(CreatedRecord(kind=RecordKind.MEMORY, id=one) for one in ids)
