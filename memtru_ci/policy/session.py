"""The events of one session, and what holds of them whatever is asked (rule 5)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from memtru_ci.policy.events import Event
from memtru_ci.policy.lineage import Lineage, lineage_of
from memtru_ci.policy.removal import removed_by


@dataclass(frozen=True, slots=True)
class Standing:
    """The lineage of a session's facts, and which are deleted by what."""

    lineage: Lineage
    removed_by: dict[str, str]


@dataclass(slots=True)
class Session:
    """Facts and tombstones by id, in order of arrival."""

    facts: dict[str, Event] = field(default_factory=dict)
    tombstones: dict[str, Event] = field(default_factory=dict)
    _standing: Standing | None = None

    def add(self, event: Event) -> None:
        """Keep an event; costs nothing more than that."""
        (self.facts if event.is_fact else self.tombstones)[event.id] = event
        self._standing = None

    def standing(self) -> Standing:
        """Worked out at the first question after a change."""
        if self._standing is None:
            lineage = lineage_of(self.facts)
            removed = removed_by(self.facts, self.tombstones.values(), lineage)
            self._standing = Standing(lineage, removed)
        return self._standing

    def __iter__(self) -> Iterator[Event]:
        yield from self.facts.values()
        yield from self.tombstones.values()
