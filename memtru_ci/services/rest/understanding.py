"""What a success says, as a value and in the contract's form: ids, receipts, results, pages."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt
from memtru_ci.ports import Memory
from memtru_ci.services.exchanges import Understood
from memtru_ci.services.mapping.selecting import count_of, created_of
from memtru_ci.services.mapping.selecting import next_cursor as cursor_after
from memtru_ci.services.pages import Page
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reading import Body, id_of
from memtru_ci.services.rest.remembered import Namespace
from memtru_ci.services.rest.resolving import learn
from memtru_ci.services.rest.results import Result, meaning_of, results_of


def written(known: Namespace, otherwise: str) -> Callable[[Mapped, Body], Understood[str]]:
    """Reads the id of a write or an update; `otherwise` where the mapping finds none in it."""

    def read(mapped: Mapped, body: Body) -> Understood[str]:
        memory_id = otherwise
        if mapped.keys.id is not None:
            memory_id = known.known(id_of(mapped, "id", mapped.keys.id, body.value))
        return Understood(memory_id, {"id": memory_id})

    return read


def deleted(mapped: Mapped, body: Body) -> Understood[int]:
    """Reads a delete: its status is all there is."""
    return Understood(body.status, {})


def receipt(mapped: Mapped, body: Body) -> Understood[HookReceipt]:
    """Reads a lifecycle operation that the service has acknowledged."""
    processed = None
    if mapped.keys.processed is not None:
        processed = count_of(mapped, "processed", mapped.keys.processed, body.value)
    created: tuple[CreatedRecord, ...] = ()
    if mapped.keys.created is not None:
        created = created_of(mapped, "created", mapped.keys.created, body.value)
    made = HookReceipt(
        executed=True,
        detail=f"acknowledged with {body.status}",
        created=created,
        processed=processed,
    )
    return Understood(made, made.model_dump(mode="json"))


def found(
    known: Namespace, learners: Sequence[Mapped]
) -> Callable[[Mapped, Body], Understood[Sequence[Memory]]]:
    """Reads all results of a search or a further surface."""

    def read(mapped: Mapped, body: Body) -> Understood[Sequence[Memory]]:
        results = _learnt(mapped, body, known, learners)
        memories = tuple(one.memory for one in results)
        return Understood(memories, {"results": meaning_of(results)})

    return read


def page(
    known: Namespace, learners: Sequence[Mapped], cursor: str | None
) -> Callable[[Mapped, Body], Understood[Page]]:
    """Reads one page of a list; `cursor` is the one that it was asked with."""

    def read(mapped: Mapped, body: Body) -> Understood[Page]:
        results = _learnt(mapped, body, known, learners)
        following = None if body.is_empty else next_cursor(mapped, body.value, cursor, len(results))
        meaning: JsonValue = {"results": meaning_of(results), "next_cursor": following}
        return Understood(Page([one.memory for one in results], following), meaning)

    return read


def next_cursor(mapped: Mapped, value: JsonValue, cursor: str | None, count: int) -> str | None:
    """How the list goes on after an answer; null at its end. Raises `ContractViolation`."""
    return cursor_after(mapped, mapped.keys.next, value, cursor, count)


def _learnt(
    mapped: Mapped, body: Body, known: Namespace, learners: Sequence[Mapped]
) -> list[Result]:
    results = results_of(mapped, body)
    for one in results:
        if one.id is not None:
            learn(known.shown, learners, known.known(one.id), one)
    return results
