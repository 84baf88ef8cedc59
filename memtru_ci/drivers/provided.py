"""A service together with what the gate provides for it: jobs, and what the model is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.holding import MODEL_STAND_IN
from memtru_ci.domain.looking import MODEL_PROMPT
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.drivers.jobs import Job, run_job
from memtru_ci.drivers.kept import Kept
from memtru_ci.drivers.prompts import Prompts
from memtru_ci.ports import Answer, ExchangeLog, Memory, MemoryService, ServiceInfo

JOBS = {
    "consolidate": Capability.LIFECYCLE_CONSOLIDATE,
    "start_session": Capability.LIFECYCLE_NEW_SESSION,
}
"""What a job can stand for."""


@dataclass
class Advertised:
    """What an instance says of itself; kept, since every call of it has a service object anew."""

    has_surfaces: bool = True


class ProvidedService:
    """Implements `ports.MemoryService`: what is not provided here is the service's own."""

    def __init__(
        self,
        own: MemoryService,
        log: ExchangeLog,
        jobs: Mapping[str, Job],
        prompts: Prompts | None,
        advertised: Advertised,
    ) -> None:
        self._own = own
        self._log = log
        self._jobs = jobs
        self._prompts = prompts
        self._advertised = advertised

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._own, operation)

    async def info(self) -> Answer[ServiceInfo]:
        """What the service says of itself, and what the gate adds."""
        answer = await self._own.info()
        said = answer.value
        own = Capability.LIFECYCLE_SURFACES in said.capabilities
        self._advertised.has_surfaces = own
        provided = {JOBS[name].value for name in self._jobs}
        if self._prompts is not None:
            provided.add(Capability.LIFECYCLE_SURFACES.value)
        info = ServiceInfo(
            said.name, said.version, said.capabilities | provided, said.consistency_window_ms
        )
        return Answer(info, answer.steps)

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]:
        if "consolidate" in self._jobs:
            return await run_job(self._jobs["consolidate"], "consolidate", namespace, self._log)
        return await self._own.consolidate(namespace)

    async def start_session(self, namespace: str) -> Answer[HookReceipt]:
        if "start_session" in self._jobs:
            return await run_job(self._jobs["start_session"], "start_session", namespace, self._log)
        return await self._own.start_session(namespace)

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        answer = await self._own.delete(namespace, memory_id)
        self._begin_anew(namespace)
        return answer

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]:
        answer = await self._own.delete_thread(namespace, thread_id)
        self._begin_anew(namespace)
        return answer

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]:
        """Until it is done it is the held write that shows the model its text."""
        answer = await self._own.release_pending_writes(namespace)
        self._begin_anew(namespace)
        return answer

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        if self._prompts is None:
            return await self._own.surfaces(namespace)
        has_own = self._advertised.has_surfaces
        answer = await self._own.surfaces(namespace) if has_own else None
        names = (*(answer.value if answer else ()), MODEL_PROMPT)
        kept = Kept(self._log, "retrieval_surfaces", MODEL_STAND_IN, namespace, {})
        kept.end(None, {"surfaces": [{"name": name} for name in names]})
        return Answer(names, (*(answer.steps if answer else ()), kept.step))

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]:
        if surface == MODEL_PROMPT and self._prompts is not None:
            return self._prompts.read(namespace, self._log)
        return await self._own.inspect_surface(namespace, surface, query)

    def _begin_anew(self, namespace: str) -> None:
        if self._prompts is not None:
            self._prompts.begin_anew(namespace)
