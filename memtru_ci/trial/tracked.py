"""What a trial left in a service: all that cleanup has to know."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memtru_ci.domain.receipt import CreatedRecord, RecordKind
from memtru_ci.errors import NoAnswer, ServiceError


@dataclass
class Tracked:
    """What a trial left in a service, to be cleaned up in reverse order."""

    namespaces: list[str] = field(default_factory=list)
    records: list[tuple[str, CreatedRecord]] = field(default_factory=list)
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

    def add(self, namespace: str, kind: RecordKind, record_id: str) -> None:
        """Remember a record and its namespace."""
        self.enter(namespace)
        record = CreatedRecord(kind=kind, id=record_id)
        if (namespace, record) not in self.records:
            self.records.append((namespace, record))
