"""What the gate provides for one instance: holds of its writes, jobs, and the model's log."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

from memtru_ci.containers import Container
from memtru_ci.ports import ExchangeLog, HoldDriver, MemoryService
from memtru_ci.targets.attendants import NONE, Attendants

if TYPE_CHECKING:
    from memtru_ci.drivers.jobs import Job, Ran
    from memtru_ci.drivers.mechanism import Mechanism
    from memtru_ci.drivers.prompts import Prompts
    from memtru_ci.drivers.provided import Advertised
    from memtru_ci.targets.options import JobOptions


class Provisions:
    """Made once for each instance, so that what the model was shown outlives a restart.

    `worker` is the sidecar to be paused, where that is how writes are held.
    """

    def __init__(
        self,
        attendants: Attendants = NONE,
        jobs: "Mapping[str, Job] | None" = None,
        worker: Container | None = None,
    ) -> None:
        self._attendants = attendants
        self._jobs = dict(jobs or {})
        self._worker = worker
        self._prompts: Prompts | None = None
        self._advertised: Advertised | None = None

    @property
    def can_hold(self) -> bool:
        """Whether the gate itself holds writes."""
        has_tasks = self._attendants.tasks is not None
        return has_tasks and self._attendants.options.hold.by != "service"

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        """What holds writes; null where that is left to the service."""
        from memtru_ci.drivers.hold import GateHold

        tasks, mechanism = self._attendants.tasks, self._mechanism()
        if tasks is None or mechanism is None:
            return None
        return GateHold(mechanism, log, tasks, self._write_ended)

    def around(self, service: MemoryService, log: ExchangeLog) -> MemoryService:
        """The service with what is provided for it."""
        if self._attendants.model is None and not self._jobs:
            return service
        from memtru_ci.drivers.provided import Advertised, ProvidedService

        self._advertised = self._advertised or Advertised()
        provided = ProvidedService(service, log, self._jobs, self._shown(), self._advertised)
        return cast(MemoryService, provided)

    def _shown(self) -> "Prompts | None":
        model = self._attendants.model
        if self._prompts is None and model is not None:
            from memtru_ci.drivers.prompts import Prompts

            self._prompts = Prompts(model.control.log, model.control.now)
        return self._prompts

    def _write_ended(self, namespace: str, is_early: bool) -> None:
        prompts = self._shown()
        if prompts is None:
            return
        prompts.begin_anew(namespace)
        if is_early:
            prompts.mute(namespace)

    def _mechanism(self) -> "Mechanism | None":
        beside = self._attendants
        match beside.options.hold.by:
            case "model" if beside.model is not None:
                from memtru_ci.drivers.model import ModelHold

                return ModelHold(beside.model.control)
            case "store" if beside.proxy is not None:
                from memtru_ci.drivers.store import StoreHold

                return StoreHold(beside.proxy)
            case "worker" if self._worker is not None:
                from memtru_ci.drivers.worker import Pausable, WorkerPause

                worker = self._worker
                return WorkerPause(Pausable(worker.name, worker.pause, worker.unpause))
            case "wire":
                from memtru_ci.drivers.wire import WithheldBody

                return WithheldBody()
        return None


def jobs_in(container: Container, jobs: "Mapping[str, JobOptions]") -> "dict[str, Job]":
    """The commands, executed in a container."""
    from memtru_ci.drivers.jobs import Job

    return {
        name: Job(one.command, partial(_executed, container, one)) for name, one in jobs.items()
    }


async def _executed(container: Container, job: "JobOptions") -> "Ran":
    from memtru_ci.drivers.jobs import Ran

    ended = await container.execute(job.command, job.timeout_s)
    return Ran(ended.exit_code, ended.output)
