"""What the gate provides for a service: jobs, and what the model was shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import pytest

from memtru_ci.domain.timeline import Outcome
from memtru_ci.drivers.jobs import Job, Ran
from memtru_ci.drivers.prompts import Prompts
from memtru_ci.drivers.provided import Advertised, ProvidedService
from memtru_ci.errors import EngineError, NoAnswer
from memtru_ci.ports import MemoryService
from tests.fakes import FakeClock, FakeService, FakeWorld
from tests.unit.test_drivers_wire import Log


@dataclass
class Request:
    """A request in the model's log."""

    number: int
    started_at: float
    prompts: Sequence[str]
    is_retry: bool = False


class ModelLog:
    """The log of a model stand-in."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.time = 0.0
        self.dropped = 0

    def now(self) -> float:
        self.time += 1
        return self.time

    def asked(self, prompt: str, *, is_retry: bool = False) -> None:
        number = len(self.requests) + 1
        self.requests.append(Request(number, self.now(), (prompt,), is_retry))

    @property
    def count(self) -> int:
        return len(self.requests)

    def is_whole_since(self, number: int) -> bool:
        return number >= self.dropped

    def since(self, number: int) -> Sequence[Request]:
        return [one for one in self.requests if one.number > number]


def provided(
    log: Log,
    world: FakeWorld,
    jobs: dict[str, Job] | None = None,
    prompts: Prompts | None = None,
    advertised: Advertised | None = None,
) -> ProvidedService:
    own: MemoryService = FakeService(world, log)
    return ProvidedService(own, log, jobs or {}, prompts, advertised or Advertised())


def job(exit_code: int = 0, output: str = "", fails: Exception | None = None) -> Job:
    async def execute() -> Ran:
        if fails is not None:
            raise fails
        return Ran(exit_code, output)

    return Job(("python", "job.py"), execute)


@pytest.mark.parametrize(
    ("name", "capability"),
    [("consolidate", "LIFECYCLE_CONSOLIDATE"), ("start_session", "LIFECYCLE_NEW_SESSION")],
)
def test_a_job_stands_for_a_hook_and_is_advertised(name: str, capability: str) -> None:
    log, world = Log(), FakeWorld(FakeClock(), frozenset({"MEMORY_WRITE"}))
    service = provided(log, world, {name: job()})

    async def go() -> None:
        info = (await service.info()).value
        assert capability in info.capabilities
        receipt = (await getattr(service, name)("n")).value
        assert receipt.executed

    anyio.run(go)
    assert world.sent[-1].operation == "capabilities"
    assert log.kept[-1].operation == name
    assert log.kept[-1].said == {
        "executed": True,
        "detail": "the command ran in the service's container",
        "created": [],
    }


def test_a_job_that_ends_badly_did_not_run_and_shows_its_output() -> None:
    service = provided(Log(), FakeWorld(FakeClock()), {"consolidate": job(3, "no such table")})

    receipt = anyio.run(service.consolidate, "n").value

    assert not receipt.executed
    assert "exit code 3: no such table" in receipt.detail


def test_a_job_that_does_not_end_in_time_did_not_run() -> None:
    late = job(fails=EngineError("it did not end within 60 s"))
    service = provided(Log(), FakeWorld(FakeClock()), {"consolidate": late})

    receipt = anyio.run(service.consolidate, "n").value

    assert not receipt.executed
    assert "within 60 s" in receipt.detail


def shown(service: ProvidedService) -> list[str]:
    answer = anyio.run(service.inspect_surface, "n", "model_prompt", "q")
    return [one.content for one in answer.value]


def test_what_the_model_is_shown_is_a_surface_beside_the_services_own() -> None:
    model = ModelLog()
    service = provided(Log(), FakeWorld(FakeClock()), prompts=Prompts(model, model.now))
    anyio.run(service.info)

    names = anyio.run(service.surfaces, "n").value

    assert names == ("profile", "model_prompt")


def test_a_service_without_surfaces_is_not_asked_for_them_by_a_later_object_of_it_either() -> None:
    model, advertised = ModelLog(), Advertised()
    world = FakeWorld(FakeClock(), frozenset({"MEMORY_WRITE", "MEMORY_SEARCH"}))

    def service() -> ProvidedService:
        return provided(Log(), world, prompts=Prompts(model, model.now), advertised=advertised)

    anyio.run(service().info)
    names = anyio.run(service().surfaces, "n").value

    assert names == ("model_prompt",)
    assert [one.operation for one in world.sent] == ["capabilities"]


def test_after_a_delete_only_requests_that_began_later_count() -> None:
    model, world = ModelLog(), FakeWorld(FakeClock())
    service = provided(Log(), world, prompts=Prompts(model, model.now))
    memory = world.put("n", "x")
    model.asked("before")
    assert shown(service) == ["before"]

    anyio.run(service.delete, "n", memory)
    model.asked("before", is_retry=True)
    model.asked("after")

    assert shown(service) == ["after"]


def test_a_log_that_was_too_long_to_be_kept_is_no_silence() -> None:
    model, world = ModelLog(), FakeWorld(FakeClock())
    log = Log()
    service = provided(log, world, prompts=Prompts(model, model.now))
    anyio.run(service.delete, "n", world.put("n", "x"))
    model.asked("after")
    model.dropped = 1

    with pytest.raises(NoAnswer, match="more often than is kept"):
        shown(service)
    assert log.kept[-1].outcome is Outcome.NO_ANSWER


def test_a_held_write_that_goes_on_unseen_mutes_the_surface() -> None:
    model, world = ModelLog(), FakeWorld(FakeClock())
    prompts = Prompts(model, model.now)
    service = provided(Log(), world, prompts=prompts)
    anyio.run(service.delete, "n", world.put("n", "x"))
    prompts.mute("n")
    model.asked("after")

    assert shown(service) == []
