"""The options of the reference service, checked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from memtru_ci.adapters import Capability
from memtru_ci.errors import UsageError
from memtru_ci.reference.defects import DEFECTS, VARIANTS
from memtru_ci.reference.rules import CORRECT, Rules

_CONTRACTS: Mapping[str, frozenset[Capability]] = {
    "memory_record": frozenset(),
    "thread_checkpoint": frozenset({Capability.MEMORY_DELETE}),
}
"""What each deletion contract hides, so that the gate has to use it."""

V = TypeVar("V")


@dataclass(frozen=True)
class Options:
    """How the service behaves and what it offers. All times are in milliseconds."""

    rules: Rules = CORRECT
    capabilities: frozenset[Capability] = field(default_factory=frozenset)
    consistency_window_ms: int | None = None
    read_delay_ms: int = 0
    page_size: int = 100

    @classmethod
    def of(
        cls,
        *,
        defect: str | None = None,
        variant: str | None = None,
        contract: str = "memory_record",
        without: Collection[str] = (),
        restartable: bool = False,
        consistency_window_ms: int | None = None,
        page_size: int = 100,
    ) -> "Options":
        """Resolve names. `restartable` offers `LIFECYCLE_RESTART`: only where the database can be
        reopened in place of a restart, which is inside the gate's own process.

        Raises `UsageError` where a name is unknown, or a defect and a variant are both given.
        """
        if defect and variant:
            raise UsageError("A defect and a correct variant exclude each other.")
        chosen = _known("variant", variant, VARIANTS) if variant else None
        broken = _known("defect", defect, DEFECTS).rules if defect else CORRECT
        hidden = _known("deletion contract", contract, _CONTRACTS) | _named(without)
        if not restartable:
            hidden |= {Capability.LIFECYCLE_RESTART}
        promised = chosen.consistency_window_ms if chosen else None
        return cls(
            rules=chosen.rules if chosen else broken,
            capabilities=frozenset(Capability) - hidden,
            consistency_window_ms=promised
            if consistency_window_ms is None
            else consistency_window_ms,
            read_delay_ms=chosen.read_delay_ms if chosen else 0,
            page_size=page_size,
        )


def _known(kind: str, name: str, known: Mapping[str, V]) -> V:
    if name not in known:
        hint = f"There are: {', '.join(sorted(known))}."
        raise UsageError(f"The reference service has no {kind} {name!r}.", hint=hint)
    return known[name]


def _named(names: Collection[str]) -> frozenset[Capability]:
    known = {str(one): one for one in Capability}
    return frozenset(_known("capability", str(one), known) for one in names)
