"""What a trial left in a service: all that cleanup has to know."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind
from memtru_ci.errors import NoAnswer, ServiceError

MOST_RECORDS = 200
"""A trial makes a dozen; what a receipt names beyond this is deleted with its namespace only."""


@dataclass
class Tracked:
    """What a trial left in a service, to be cleaned up in reverse order."""

    namespaces: list[str] = field(default_factory=list)
    records: dict[tuple[str, CreatedRecord], None] = field(default_factory=dict)
    """Namespace and record, in the order they were made."""
    untold: dict[str, int] = field(default_factory=dict)
    """By namespace, how many records receipts named beyond `MOST_RECORDS`."""
    unanswered: list[str] = field(default_factory=list)
    """The namespaces of writes that may have made a record whose id nobody knows."""

    def enter(self, namespace: str) -> None:
        """Remember a namespace, before anything is sent to it."""
        if namespace not in self.namespaces:
            self.namespaces.append(namespace)

    @contextmanager
    def writing(self, namespace: str) -> Iterator[None]:
        """Send a write: without an answer, also where it is cancelled, it may be there."""
        self.unanswered.append(namespace)
        try:
            yield
        except ServiceError as problem:
            if not isinstance(problem, NoAnswer):
                self.unanswered.remove(namespace)
            raise
        self.unanswered.remove(namespace)

    def take(self, namespace: str, receipt: HookReceipt) -> HookReceipt:
        """Remember what a receipt names; the receipt with no more of it than can be deleted."""
        for one in receipt.created[:MOST_RECORDS]:
            self.add(namespace, one.kind, one.id)
        beyond = len(receipt.created) - MOST_RECORDS
        if beyond <= 0:
            return receipt
        self.untold[namespace] = self.untold.get(namespace, 0) + beyond
        return receipt.model_copy(update={"created": receipt.created[:MOST_RECORDS]})

    def add(self, namespace: str, kind: RecordKind, record_id: str) -> None:
        """Remember a record and its namespace."""
        self.enter(namespace)
        record = (namespace, CreatedRecord(kind=kind, id=record_id))
        if record not in self.records and len(self.records) >= MOST_RECORDS:
            self.untold[namespace] = self.untold.get(namespace, 0) + 1
        else:
            self.records[record] = None
