"""What a success says, as a value and in the contract's form: ids and receipts."""

from pydantic import JsonValue

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mapping.selecting import count_of, created_of, id_of
from memtru_ci.services.mcp.caller import Understand
from memtru_ci.services.mcp.mapped import Mapped
from memtru_ci.services.rest.remembered import Namespace

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
    return count_of(mapped, "processed", expression, value)


def _created(mapped: Mapped, value: JsonValue) -> tuple[CreatedRecord, ...]:
    expression = getattr(mapped.keys, "created", None)
    if expression is None or value is None:
        return ()
    return created_of(mapped, "created", expression, value)
