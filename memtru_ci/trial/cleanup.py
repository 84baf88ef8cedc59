"""Deletes every record that the gate or a receipt named, in reverse order."""

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.receipt import CreatedRecord, RecordKind
from memtru_ci.domain.report import CleanupFacts
from memtru_ci.errors import NoSuchRecord, ServiceError
from memtru_ci.ports import MemoryService
from memtru_ci.trial.offer import Offer
from memtru_ci.trial.tracked import Tracked

_THREADS = (RecordKind.THREAD, RecordKind.CONVERSATION)


async def clean_up(
    service: MemoryService, offer: Offer, tracked: Tracked, deadline_s: float
) -> CleanupFacts:
    """Delete what a trial left in the service; what could not be deleted is named.

    Ends within `deadline_s`, also where the run is being cancelled.
    """
    cleaning = _Cleaning(service, offer)
    with anyio.move_on_after(deadline_s, shield=True) as scope:
        for namespace in dict.fromkeys(tracked.unanswered):
            cleaning.left[f"{namespace}/memory"] = "a write was never answered; it may be there"
        for namespace, count in tracked.untold.items():
            cleaning.left[f"{namespace}/{count} more"] = "too many to delete one by one"
        for namespace, record in reversed(tracked.records):
            await cleaning.delete(namespace, record)
        for namespace in reversed(tracked.namespaces):
            await cleaning.delete_namespace(namespace)
    if scope.cancelled_caught:
        cleaning.left["the rest"] = f"cleanup was not done within {deadline_s:g} s"
    return CleanupFacts(
        deleted=cleaning.deleted,
        left=[f"{name}: {why}" for name, why in cleaning.left.items()],
    )


class _Cleaning:
    def __init__(self, service: MemoryService, offer: Offer) -> None:
        self._service = service
        self._offer = offer
        self.deleted: list[str] = []
        self.left: dict[str, str] = {}

    async def delete(self, namespace: str, record: CreatedRecord) -> None:
        """Delete a memory or a thread by its id; the rest goes with the namespace."""
        name = f"{namespace}/{record.kind} {record.id}"
        self.left[name] = _no_way(record.kind)
        try:
            if record.kind is RecordKind.MEMORY and self._offer.has(Capability.MEMORY_DELETE):
                await self._service.delete(namespace, record.id)
            elif record.kind in _THREADS and self._offer.has(Capability.THREAD_DELETE):
                receipt = (await self._service.delete_thread(namespace, record.id)).value
                if not receipt.executed:
                    self.left[name] = receipt.detail or "the service said that it did not run"
                    return
            else:
                return
        except NoSuchRecord:
            pass
        except ServiceError as problem:
            self.left[name] = str(problem)
            return
        self._is_gone(name)

    async def delete_namespace(self, namespace: str) -> None:
        """Delete the namespace where that is offered, and with it all that it held."""
        if not self._offer.has(Capability.NAMESPACE_DELETE):
            return
        try:
            receipt = (await self._service.delete_namespace(namespace)).value
        except ServiceError as problem:
            self.left[f"namespace {namespace}"] = str(problem)
            return
        if receipt.executed:
            for name in [one for one in self.left if one.startswith(f"{namespace}/")]:
                self._is_gone(name)

    def _is_gone(self, name: str) -> None:
        self.left.pop(name, None)
        self.deleted.append(name)


def _no_way(kind: RecordKind) -> str:
    """Which capabilities would let the gate delete a record of this kind."""
    own = {
        RecordKind.MEMORY: Capability.MEMORY_DELETE,
        **dict.fromkeys(_THREADS, Capability.THREAD_DELETE),
    }
    ways = [one for one in (own.get(kind), Capability.NAMESPACE_DELETE) if one]
    return f"the service does not offer {' or '.join(ways)}, which would delete it"
