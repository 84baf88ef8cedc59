"""Finds the id that an operation wants, where it is not the one that the write gave."""

from collections.abc import Iterable
from dataclasses import dataclass

from memtru_ci.domain.marker import folded
from memtru_ci.errors import NoSuchRecord
from memtru_ci.services.rest.mapped import Mapped
from memtru_ci.services.rest.reading import id_of, selected
from memtru_ci.services.rest.results import Result


@dataclass(frozen=True)
class Wanted:
    """A memory whose id an operation wants; `text` is what was written, empty where unknown."""

    mapped: Mapped
    memory_id: str
    text: str

    def among(self, results: Iterable[Result]) -> Result | None:
        """The one result that is the memory; null where none is.

        Raises `ContractViolation` where several are.
        """
        found = [one for one in results if self._is_it(one)]
        if len(found) > 1:
            why = f"{len(found)} results match the memory {self.memory_id}, and only one may"
            raise self.mapped.misfit("resolve.match", why)
        return found[0] if found else None

    def missing(self, status: int) -> NoSuchRecord:
        """No read shows it."""
        why = (
            f"no result is the memory {self.memory_id}, so its id cannot be found; "
            f"see `service.{self.mapped.place}.resolve`"
        )
        return NoSuchRecord(self.mapped.endpoint, why, status=status)

    def _is_it(self, result: Result) -> bool:
        resolve = self.mapped.keys.resolve
        expression = resolve.match if resolve else None
        if expression is None:
            return bool(self.text) and folded(self.text) in folded(result.content)
        value = selected(self.mapped, "resolve.match", expression, result.raw)
        is_id = isinstance(value, (str, int)) and not isinstance(value, bool)
        return is_id and str(value) == self.memory_id


def learn(
    ids: dict[tuple[str, str], str | int],
    learners: Iterable[Mapped],
    memory_id: str,
    result: Result,
) -> None:
    """Remember the ids that operations want for a result, under the id that it is known by."""
    for mapped in learners:
        resolve = mapped.keys.resolve
        if resolve is not None:
            found = id_of(mapped, "resolve.id", resolve.id, result.raw)
            ids.setdefault((mapped.operation, memory_id), found)
