"""The surfaces of one namespace, and how a look reads all of them at once."""

from collections.abc import Awaitable, Callable, Sequence

import anyio

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.looking import SEARCH
from memtru_ci.domain.marker import Marker, folded
from memtru_ci.domain.timeline import Look, Outcome, Reading
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NotOffered,
    ProviderError,
    ServiceError,
    TargetLost,
)
from memtru_ci.ports import Answer, Memory, MemoryService
from memtru_ci.trial.journal import Journal
from memtru_ci.trial.offer import Offer

LIST = "list"

Results = Answer[Sequence[Memory]]


SILENT = (Outcome.TARGET_LOST, Outcome.NO_ANSWER)
"""Outcomes after which the target may be dead."""


def outcome_of(problem: ServiceError, offer: Offer, capability: Capability) -> Outcome:
    """How a call ended; drops the capability where that is what the answer says."""
    if isinstance(problem, NotOffered):
        dropped = offer.drop(capability, problem.endpoint, str(problem))
        return Outcome.NOT_OFFERED if dropped else Outcome.PROVIDER_ERROR
    if isinstance(problem, ContractViolation | ProviderError):
        offer.answered(problem.endpoint)
    if isinstance(problem, ContractViolation):
        return Outcome.CONTRACT_VIOLATION
    if isinstance(problem, NoAnswer):
        return Outcome.NO_ANSWER
    return Outcome.TARGET_LOST if isinstance(problem, TargetLost) else Outcome.PROVIDER_ERROR


class Surfaces:
    """The retrieval surfaces of a namespace: `search`, `list` where offered, and the service's own.

    The query is the same in every look of a trial, so that warm caches are tested too.
    """

    def __init__(
        self,
        service: Callable[[], MemoryService],
        offer: Offer,
        journal: Journal,
        namespace: str,
    ) -> None:
        self._service = service
        self._offer = offer
        self._journal = journal
        self._namespace = namespace
        self._further: tuple[str, ...] = ()
        self._left_out: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """The surfaces that are read now."""
        listed = (LIST,) if self._offer.has(Capability.MEMORY_LIST) else ()
        own = self._further if self._offer.has(Capability.LIFECYCLE_SURFACES) else ()
        return (SEARCH, *listed, *own)

    def add(self, names: Sequence[str]) -> None:
        """Read the service's own surfaces too."""
        self._further = tuple(names)

    def leave_out(self, name: str) -> None:
        """Do not read this one of the service's own surfaces."""
        self._left_out = {*self._left_out, name} & {*self._further}
        self._further = tuple(one for one in self._further if one != name)

    @property
    def left_out(self) -> frozenset[str]:
        """The surfaces that are there and are not read in looks."""
        return frozenset(self._left_out)

    async def look(self, marker: Marker, expected: Marker, *, only: str | None = None) -> Look:
        """Read all surfaces at once; `expected` is the memory that must be there.

        The query is the expected memory's topic key, which the marker shares in its own namespace.
        """
        began_ms = self._journal.now_ms()
        names = self.names if only is None else (only,)
        readings: dict[str, Reading] = {}

        async def read(name: str) -> None:
            readings[name] = await self._reading(name, marker, expected)

        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(read, name)
        return look_of([readings[name] for name in names], began_ms)

    async def results(self, name: str, query: str) -> Results:
        """Read one surface."""
        if name == SEARCH:
            return await self._service().search(self._namespace, query)
        if name == LIST:
            return await self._service().list(self._namespace)
        return await self._service().inspect_surface(self._namespace, name, query)

    async def _reading(self, name: str, marker: Marker, expected: Marker) -> Reading:
        def seen(memories: Sequence[Memory]) -> tuple[bool, bool]:
            contents = [folded(one.content) for one in memories]
            return marker.shown_in_folded(contents), expected.shown_in_folded(contents)

        return await self.reading(name, lambda: self.results(name, expected.query), seen)

    async def reading(
        self,
        name: str,
        read: Callable[[], Awaitable[Results]],
        seen: Callable[[Sequence[Memory]], tuple[bool, bool]],
    ) -> Reading:
        """One read and what it showed: marker, and what must be there."""
        capability = capability_of(name)
        began_ms = self._journal.now_ms()
        try:
            answer = await read()
        except ServiceError as problem:
            outcome = outcome_of(problem, self._offer, capability)
            return self._told(name, outcome, began_ms, problem.steps, detail=str(problem))
        self._offer.worked(capability)
        told = self._told(name, Outcome.DONE, began_ms, answer.steps)
        shows_marker, shows_expected = seen(answer.value)
        return told.model_copy(update={"marker": shows_marker, "bystander": shows_expected})

    def _told(
        self, name: str, outcome: Outcome, began_ms: float, steps: tuple[int, ...], detail: str = ""
    ) -> Reading:
        started_ms, ended_ms = self._journal.span(steps) or (began_ms, self._journal.now_ms())
        return Reading(
            surface=name,
            outcome=outcome,
            started_ms=started_ms,
            ended_ms=ended_ms,
            evidence_steps=steps,
            detail=detail,
        )


def look_of(readings: Sequence[Reading], began_ms: float) -> Look:
    """The readings as one look, which began when the first of them was sent."""
    started_ms = min((one.started_ms for one in readings), default=began_ms)
    return Look(started_ms=started_ms, readings=tuple(readings))


def capability_of(surface: str) -> Capability:
    """The capability that a surface belongs to."""
    own = {SEARCH: Capability.MEMORY_SEARCH, LIST: Capability.MEMORY_LIST}
    return own.get(surface, Capability.LIFECYCLE_SURFACES)
