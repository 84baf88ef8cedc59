"""What a scenario promises to test: the facts of its header that the judge needs."""

from dataclasses import dataclass, field
from enum import StrEnum

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.policy_case import PolicyCase
from memtru_ci.domain.timeline import Action
from memtru_ci.domain.verdict import Cause


class DeletionContract(StrEnum):
    """The promise that a delete makes (afterlife reference, deletion contracts)."""

    MEMORY_RECORD = "memory_record"
    THREAD_CHECKPOINT = "thread_checkpoint"


@dataclass(frozen=True)
class Promise:
    """A scenario's header.

    `needs` is a conjunction of alternatives: of each inner set at least one capability.
    `lifecycle` are the events of which each inner set must have at least one that ran.
    """

    id: str
    title: str
    finding: Cause
    suite: str
    needs: tuple[frozenset[Capability], ...]
    lifecycle: tuple[frozenset[Action], ...]
    severity: str
    """`critical`, `high`, `medium` or `low`: what `--fail-on` and SARIF go by."""
    afterlife: bool = True
    """Whether its results carry the `afterlife` object."""
    noted: frozenset[str] = frozenset()
    """Surfaces on which a sighting is a note, never a finding (catalogue, rule 19)."""
    steps: tuple[str, ...] = field(default=())
    policy: PolicyCase | None = None
    """What is sent and expected in the policy suite; such a promise is judged by its rules."""
