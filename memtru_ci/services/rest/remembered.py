"""What was learnt of each namespace: kept over restarts, so that nothing is asked for twice."""

from dataclasses import dataclass, field

import anyio
from pydantic import JsonValue


@dataclass
class Namespace:
    """One namespace of one run."""

    variables: dict[str, JsonValue] | None = None
    """What its preparation gave; null before."""
    preparing: anyio.Lock = field(default_factory=anyio.Lock)
    numbers: dict[str, int] = field(default_factory=dict)
    """Ids that are numbers in the service's own JSON."""
    written: dict[str, str] = field(default_factory=dict)
    """The text of each memory that was written, by the id that the write gave."""
    resolved: dict[tuple[str, str], str | int] = field(default_factory=dict)
    """The id that an operation wants, by operation and the id that the write gave."""
    shown: dict[tuple[str, str], str | int] = field(default_factory=dict)
    """The same by the id that a read gave, which may be another kind of id."""
    asked: str = ""
    """What a search has last asked here; never a secret."""

    def known(self, found: str | int) -> str:
        """An id as the contract has it; that it is a number is remembered."""
        if isinstance(found, int):
            self.numbers[str(found)] = found
        return str(found)

    def raw(self, memory_id: str) -> str | int:
        """The same as the service has it."""
        return self.numbers.get(memory_id, memory_id)


class Remembered:
    """All namespaces, for as long as the service is spoken to."""

    def __init__(self) -> None:
        self._namespaces: dict[str, Namespace] = {}

    def of(self, namespace: str) -> Namespace:
        """What is known of one; a new one where nothing is."""
        return self._namespaces.setdefault(namespace, Namespace())
