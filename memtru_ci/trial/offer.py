"""What a service offers in this run: advertised, and not found to be missing."""

from collections.abc import Iterable, Iterator, Sequence

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.legible import legible
from memtru_ci.domain.promise import Promise

_KNOWN = {one.value: one for one in Capability}


MOST_UNKNOWN_TOLD = 10


def _of_unknown(names: Sequence[str]) -> Iterator[str]:
    for name in names[:MOST_UNKNOWN_TOLD]:
        told = legible(name, 80)
        yield f"The service advertises '{told}', which is not in the contract; it is ignored."
    if len(names) > MOST_UNKNOWN_TOLD:
        more = len(names) - MOST_UNKNOWN_TOLD
        yield f"The service advertises {more} more capabilities that are not in the contract."


class Offer:
    """The capabilities of one instance.

    A capability is dropped for the run where the first answer of one of its endpoints says that it
    is not there and no other endpoint of it has worked (HTTP contract, lifecycle hooks).
    """

    def __init__(self, advertised: Iterable[str], *, can_restart: bool) -> None:
        names = set(advertised)
        self._has = {_KNOWN[name] for name in names if name in _KNOWN}
        self._worked: set[Capability] = set()
        self._answered: set[str] = set()
        self.can_restart = can_restart
        self.why_no_restart = "nothing can restart this instance"
        self.warnings = list(_of_unknown(sorted(names - set(_KNOWN))))

    def has(self, capability: Capability) -> bool:
        """Whether the service offers it."""
        return capability in self._has

    @property
    def names(self) -> list[str]:
        """What is offered, by name."""
        return sorted(self._has)

    def worked(self, capability: Capability) -> None:
        """One of its endpoints has worked: from now on it can not be dropped."""
        self._worked.add(capability)

    def answered(self, endpoint: str) -> None:
        """An endpoint gave an answer of some kind: the next one is not its first."""
        self._answered.add(endpoint)

    def drop(self, capability: Capability, endpoint: str, why: str) -> bool:
        """Drop it; false where the endpoint answered before, or another one of it has worked."""
        if capability in self._worked or endpoint in self._answered:
            return False
        self._has.discard(capability)
        self.warnings.append(f"{capability} is dropped for this run: {why}")
        return True

    def provide(self, capability: Capability) -> None:
        """The gate itself provides it (catalogue, rule 17)."""
        self._has.add(capability)

    def leave_out_restarts(self, why: str) -> None:
        """Neither the gate nor the service restarts this instance (catalogue, rule 16)."""
        self.can_restart = False
        self.why_no_restart = why
        self._has.discard(Capability.LIFECYCLE_RESTART)

    def missing(self, promise: Promise) -> tuple[str, ...]:
        """What the scenario requires and the service does not offer."""
        return tuple(
            " or ".join(sorted(alternatives))
            for alternatives in promise.needs
            if not alternatives & self._has
        )
