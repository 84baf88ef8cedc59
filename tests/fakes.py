"""A fake for every port: small, in memory, scriptable, and without any real time."""

from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import anyio
from anyio.abc import TaskGroup

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.receipt import HookReceipt, RestartReceipt
from memtru_ci.domain.report import Report
from memtru_ci.domain.timeline import Event, Outcome
from memtru_ci.domain.verdict import Verdict
from memtru_ci.drivers.hold import GateHold
from memtru_ci.drivers.prompts import Prompts
from memtru_ci.drivers.provided import Advertised, ProvidedService
from memtru_ci.errors import (
    ContractViolation,
    NoAnswer,
    NoSuchRecord,
    NotOffered,
    ProviderError,
    ServiceError,
    TargetError,
    TargetLost,
)
from memtru_ci.policy import answer as policy_answer
from memtru_ci.policy import query as policy_query
from memtru_ci.policy.store import PolicyStore
from memtru_ci.ports import (
    Answer,
    ExchangeLog,
    Instance,
    Memory,
    MemoryService,
    ServiceInfo,
    TakenEvents,
    TargetFacts,
)
from memtru_ci.sending import USUAL, Sending
from memtru_ci.targets.background import background

T = TypeVar("T")

POLICY = frozenset({"POLICY_EVENTS", "POLICY_QUERY"})
EVERYTHING = frozenset(one.value for one in Capability) - POLICY


class FakeClock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self._now = 100.0

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait; those who wait at the same time wait together."""
        due = self._now + max(0.0, seconds)
        await anyio.lowlevel.checkpoint()
        self._now = max(self._now, due)

    @property
    def now_ms(self) -> float:
        """Milliseconds, as the other fakes tell time."""
        return self._now * 1000


@dataclass
class Stored:
    """A memory, and from when to when (milliseconds) it is seen, and where."""

    content: str
    thread: str | None = None
    seen_from_ms: float = 0.0
    seen_until_ms: float = float("inf")
    only_on: str | None = None


@dataclass
class Held:
    """A write that is held."""

    content: str
    target: str | None


@dataclass(frozen=True)
class Sent:
    """A call that reached the service."""

    operation: str
    namespace: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What happens instead of an answer; `status` 404 and the like, or a kind of trouble."""

    kind: str = "status"
    status: int = 500
    after_effect: bool = False
    """The service did what it was asked before the answer got lost."""


NO_ANSWER, LOST, MALFORMED = Fault("no_answer"), Fault("lost"), Fault("malformed")
HANGS = Fault("hangs")


class FakeWorld:
    """A memory service's state, which a restart leaves alone; it remembers what it was sent.

    Correct unless told otherwise: deleted ids and what was said in them stay away. `after` maps an
    operation to what goes wrong once it ran, `faults` to what comes instead of its next answers,
    `always` to what comes instead of every answer.
    """

    def __init__(self, clock: FakeClock, capabilities: frozenset[str] = EVERYTHING) -> None:
        self.clock = clock
        self.capabilities = capabilities
        self.consistency_window_ms = 0
        self.surfaces: tuple[str, ...] = ("profile",)
        self.latency_s = 0.002
        self.slow: dict[str, float] = {}
        self.memories: dict[str, dict[str, Stored]] = defaultdict(dict)
        self.history: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.held: dict[str, list[Held]] = defaultdict(list)
        self.tombstones: set[str] = set()
        self.honours_tombstones = True
        self.ingests = True
        self.ingested: set[tuple[str, str]] = set()
        self.receipts: dict[str, dict[str, Any]] = {}
        self.faults: dict[str, deque[Fault | None]] = defaultdict(deque)
        self.always: dict[str, Fault] = {}
        self.after: dict[str, Callable[[str], None]] = {}
        self.sent: list[Sent] = []
        self.answered: Counter[str] = Counter()
        self.alive = True
        self.update_creates = False
        self.update_is_blind = False
        """An update, or a run, writes without looking again whether its record is still there."""
        self.late_status = 404
        self.update_makes_versions = False
        """An update puts a memory with an id of its own in the place of its record."""
        self.runs_show_input = False
        """A run's input shows before the run waits for its model."""
        self.grip: FakeGrip | None = None
        self.policy = PolicyStore()
        self._ids = 0

    def put(self, namespace: str, content: str, memory_id: str = "", **facts: Any) -> str:
        """A memory, however it came there."""
        self._ids += 1
        memory_id = memory_id or f"mem_{self._ids}"
        self.memories[namespace][memory_id] = Stored(content, **facts)
        return memory_id

    def ingest(self, namespace: str) -> int:
        """One cycle: what was said and was not deleted becomes memories."""
        known = {one.content for one in self.memories[namespace].values()}
        made = 0
        for thread, content in self.history[namespace]:
            forgotten = self.honours_tombstones and content in self.tombstones
            if self.ingests and content not in known and not forgotten:
                self.put(namespace, content, thread=thread)
                made += 1
        return made

    def forget(self, namespace: str, memory_id: str) -> bool:
        """Delete one memory; whether there was one."""
        gone = self.memories[namespace].pop(memory_id, None)
        if gone is None:
            return False
        self.tombstones |= {memory_id, gone.content}
        return True

    def release(self, namespace: str) -> int:
        """Apply what is held, but not to what was deleted."""
        held, self.held[namespace] = self.held[namespace], []
        for one in held:
            alive = one.target in self.memories[namespace]
            if alive or not self.honours_tombstones:
                self.put(namespace, one.content, one.target or "")
        return len(held)

    def shown(self, namespace: str, surface: str) -> list[tuple[str, str]]:
        """What a surface shows now."""
        now = self.clock.now_ms
        return [
            (memory_id, one.content)
            for memory_id, one in self.memories[namespace].items()
            if one.seen_from_ms <= now < one.seen_until_ms and one.only_on in (None, surface)
        ]

    def sends(self, operation: str, namespace: str | None = None) -> int:
        """How often an operation was sent."""
        return sum(
            one.operation == operation and namespace in (None, one.namespace) for one in self.sent
        )


class FakeService:
    """Speaks for a world and keeps every exchange in the log, as the real client does."""

    def __init__(
        self, world: FakeWorld, log: ExchangeLog, is_there: Callable[[], bool] = lambda: True
    ) -> None:
        self._world = world
        self._log = log
        self._is_there = is_there

    async def info(self) -> Answer[ServiceInfo]:
        world = self._world
        body = {
            "contract": "1.0",
            "capabilities": sorted(world.capabilities),
            "consistency_window_ms": world.consistency_window_ms,
        }
        answer = await self._call("capabilities", "", {}, lambda: body)
        info = ServiceInfo("fake", "1", world.capabilities, world.consistency_window_ms)
        return Answer(info, answer.steps)

    async def write(
        self, namespace: str, content: str, *, thread_id: str | None = None
    ) -> Answer[str]:
        body = {"content": content, "thread_id": thread_id}
        answer = await self._call(
            "write",
            namespace,
            body,
            lambda: {"id": self._world.put(namespace, content, thread=thread_id)},
        )
        return Answer(str(answer.value["id"]), answer.steps)

    async def update(self, namespace: str, memory_id: str, content: str) -> Answer[str]:
        world, body = self._world, {"id": memory_id, "content": content}
        was_there = memory_id in world.memories[namespace]

        def act() -> dict[str, Any]:
            is_there = memory_id in world.memories[namespace]
            if not (is_there or world.update_creates or (was_there and world.update_is_blind)):
                raise _Refused(world.late_status)
            if world.update_makes_versions:
                world.memories[namespace].pop(memory_id, None)
                return {"id": world.put(namespace, content)}
            return {"id": world.put(namespace, content, memory_id)}

        answer = await self._call("update", namespace, body, act)
        return Answer(str(answer.value["id"]), answer.steps)

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        """Takes what the thread says, waits for its model, and writes both: a run in flight."""
        world = self._world
        stored = world.memories[namespace].items()
        before = {name: one for name, one in stored if one.thread == thread_id}

        def act() -> dict[str, Any]:
            if world.update_is_blind:
                world.memories[namespace].update(before)
            return {"id": world.put(namespace, content, thread=thread_id)}

        if world.runs_show_input:
            world.put(namespace, content, thread=thread_id)
        answer = await self._call("run", namespace, {"content": content}, act)
        return Answer(str(answer.value["id"]), answer.steps)

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]:
        return await self._read("search", namespace, "search", {"query": query})

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]:
        return await self._read("list", namespace, "list", {})

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]:
        return await self._read("inspect_surface", namespace, surface, {"query": query})

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        def act() -> dict[str, Any]:
            if not self._world.forget(namespace, memory_id):
                raise _Refused(404)
            return {}

        answer = await self._call("delete", namespace, {"id": memory_id}, act)
        return Answer(200, answer.steps)

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]:
        def act() -> int:
            stored = self._world.memories[namespace].items()
            gone = [name for name, one in stored if one.thread == thread_id]
            return sum(self._world.forget(namespace, name) for name in gone)

        return await self._hook("delete_thread", namespace, {"id": thread_id}, act)

    async def delete_namespace(self, namespace: str) -> Answer[HookReceipt]:
        def act() -> int:
            return len(self._world.memories.pop(namespace, {}))

        return await self._hook("delete_namespace", namespace, {"id": namespace}, act)

    async def begin_pending_write(
        self, namespace: str, content: str, *, target_id: str | None, thread_id: str | None
    ) -> Answer[HookReceipt]:
        def act() -> int:
            self._world.held[namespace].append(Held(content, target_id))
            return 1

        body = {"content": content, "target_id": target_id, "thread_id": thread_id}
        return await self._hook("begin_pending_write", namespace, body, act)

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]:
        return await self._hook(
            "release_pending_writes", namespace, {}, lambda: self._world.release(namespace)
        )

    async def record_conversation(
        self, namespace: str, thread_id: str, messages: Sequence[str]
    ) -> Answer[HookReceipt]:
        def act() -> int:
            self._world.history[namespace] += [(thread_id, text) for text in messages]
            return len(messages)

        body = {"thread_id": thread_id, "messages": [*messages]}
        return await self._hook("record_conversation", namespace, body, act)

    async def start_session(self, namespace: str) -> Answer[HookReceipt]:
        return await self._ingestion("start_session", namespace)

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]:
        return await self._ingestion("consolidate", namespace)

    async def restart(self) -> Answer[HookReceipt]:
        return await self._hook("restart", "", {}, lambda: 0)

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        names = self._world.surfaces
        body = {"surfaces": [{"name": name} for name in names]}
        answer = await self._call("retrieval_surfaces", namespace, {}, lambda: body)
        return Answer(names, answer.steps)

    async def policy_events(self, events: Sequence[Any]) -> Answer[TakenEvents]:
        def act() -> dict[str, Any]:
            rejected = self._world.policy.add_all(events)
            told = [{"index": one.index, "reason": one.reason} for one in rejected]
            return {"accepted": len(events) - len(told), "rejected": told}

        answer = await self._call("policy_events", "", {"events": list(events)}, act)
        rejected = tuple((one["index"], one["reason"]) for one in answer.value["rejected"])
        return Answer(TakenEvents(answer.value["accepted"], rejected), answer.steps)

    async def policy_query(self, question: Mapping[str, Any]) -> Answer[Sequence[str]]:
        def act() -> dict[str, Any]:
            asked = policy_query.parse(question)
            return dict(policy_answer.to_json(self._world.policy.query(asked)))

        answer = await self._call("policy_query", "", dict(question), act)
        return Answer(answer.value["ids"], answer.steps)

    async def _ingestion(self, name: str, namespace: str) -> Answer[HookReceipt]:
        return await self._hook(name, namespace, {}, lambda: self._world.ingest(namespace))

    async def _hook(
        self, name: str, namespace: str, body: dict[str, Any], act: Callable[[], int]
    ) -> Answer[HookReceipt]:
        def receipt() -> dict[str, Any]:
            said = {"executed": True, "detail": f"{name} ran", "processed": act(), "created": []}
            return said | self._world.receipts.get(name, {})

        answer = await self._call(name, namespace, body, receipt)
        given = {key: value for key, value in answer.value.items() if value is not None}
        return Answer(HookReceipt.model_validate(given), answer.steps)

    async def _read(
        self, name: str, namespace: str, surface: str, body: dict[str, Any]
    ) -> Answer[Sequence[Memory]]:
        def act() -> dict[str, Any]:
            shown = self._world.shown(namespace, surface)
            found: dict[str, Any] = {"results": [{"id": i, "content": text} for i, text in shown]}
            return found | ({"next_cursor": None} if name == "list" else {})

        answer = await self._call(name, namespace, body, act, surface=surface)
        found = [Memory(one["content"], one["id"]) for one in answer.value["results"]]
        return Answer(found, answer.steps)

    async def _call(
        self,
        operation: str,
        namespace: str,
        body: dict[str, Any],
        act: Callable[[], dict[str, Any]],
        surface: str | None = None,
    ) -> Answer[dict[str, Any]]:
        step, started = self._log.next_step(), self._log.now_ms()
        outcome, status, value, error = Outcome.NO_ANSWER, None, None, ""
        try:
            value, status = await self._answer(operation, namespace, body, act, surface), 200
            outcome = Outcome.DONE
        except ServiceError as problem:
            problem.steps = (step,)
            outcome, status, error = _told(problem)
            raise
        finally:
            self._log.keep(
                Exchange(
                    step=step,
                    operation=operation,
                    surface=surface,
                    namespace=namespace,
                    method="POST",
                    path=f"/{operation}",
                    request=body,
                    status=status,
                    answer=value,
                    outcome=outcome,
                    error=error,
                    started_ms=started,
                    ended_ms=self._log.now_ms(),
                )
            )
        return Answer(value, (step,))

    async def _answer(
        self,
        operation: str,
        namespace: str,
        body: dict[str, Any],
        act: Callable[[], dict[str, Any]],
        surface: str | None,
    ) -> dict[str, Any]:
        world = self._world
        if not (world.alive and self._is_there()):
            raise TargetLost(operation, "connection refused")
        world.sent.append(Sent(operation, namespace, body))
        await world.clock.sleep(world.slow.get(surface or operation, world.latency_s))
        if operation in ("update", "run") and world.grip is not None:
            await world.grip.met(body)
        fault = self._fault(surface or operation)
        if fault is not None and not fault.after_effect:
            await _fail(operation, fault)
        try:
            answer = act()
        except _Refused as refused:
            if refused.status not in (404, 410):
                why = f"{refused.status}: refused"
                raise ProviderError(operation, why, status=refused.status) from None
            raise NoSuchRecord(operation, "no such memory", status=refused.status) from None
        if operation in world.after:
            world.after[operation](namespace)
        if fault is not None:
            await _fail(operation, fault)
        world.answered[operation] += 1
        return answer

    def _fault(self, name: str) -> Fault | None:
        world = self._world
        if world.faults[name]:
            return world.faults[name].popleft()
        return world.always.get(name)


class _Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


async def _fail(operation: str, fault: Fault) -> None:
    match fault.kind:
        case "hangs":
            await anyio.sleep_forever()
        case "no_answer":
            raise NoAnswer(operation, "no complete answer within 10 s")
        case "lost":
            raise TargetLost(operation, "connection refused")
        case "malformed":
            raise ContractViolation(operation, "results: required", field="results")
    holds_id = operation in ("delete", "update", "delete_thread", "inspect_surface")
    if fault.status in (405, 501) or (fault.status == 404 and not holds_id):
        raise NotOffered(operation, f"{fault.status}", status=fault.status)
    if fault.status in (404, 410):
        raise NoSuchRecord(operation, f"{fault.status}", status=fault.status)
    raise ProviderError(operation, f"{fault.status}: broken", status=fault.status)


def _told(problem: ServiceError) -> tuple[Outcome, int | None, str]:
    match problem:
        case ProviderError():
            return Outcome.PROVIDER_ERROR, problem.status, str(problem)
        case NotOffered():
            return Outcome.NOT_OFFERED, problem.status, str(problem)
        case ContractViolation():
            return Outcome.CONTRACT_VIOLATION, 200, str(problem)
        case TargetLost():
            return Outcome.TARGET_LOST, None, str(problem)
    return Outcome.NO_ANSWER, None, str(problem)


@dataclass
class FakeGrip:
    """Holds the write of a world that carries a secret; a `drivers.mechanism.Grip`."""

    world: FakeWorld
    secret: str
    manner: Sending = USUAL
    _arrived: anyio.Event = field(default_factory=anyio.Event)
    _released: anyio.Event = field(default_factory=anyio.Event)

    async def met(self, body: dict[str, Any]) -> None:
        """Where the world comes to its write: waits there, where the write is the one."""
        earlier = {one.content for kept in self.world.memories.values() for one in kept.values()}
        if self.secret in str(body) or ("id" not in body and self.secret in str(earlier)):
            self.arrives()
            await self._released.wait()

    def arrives(self) -> None:
        """The write is there."""
        self._arrived.set()

    async def arrived(self) -> dict[str, Any]:
        await self._arrived.wait()
        return {"requests": 1}

    async def release(self) -> dict[str, Any]:
        await self.world.clock.sleep(self.world.latency_s)
        count = int(self._arrived.is_set() and not self._released.is_set())
        self._released.set()
        return {"released": count}


@dataclass
class FakeMechanism:
    """A `drivers.mechanism.Mechanism` of any name; `misses` lets all writes pass."""

    world: FakeWorld
    name: str = "model_stand_in"
    hint: str = "does the service use the variable?"
    misses: bool = False

    async def grip(self, secret: str) -> FakeGrip:
        grip = FakeGrip(self.world, secret)
        self.world.grip = None if self.misses else grip
        return grip


@dataclass
class FakeInstance:
    """An instance of a world; the gate restarts it unless told otherwise."""

    world: FakeWorld
    can_restart: bool = True
    restart_fails: Exception | None = None
    restarts_nothing: bool = False
    restarts: int = 0
    autopsy_fails: Exception | None = None
    post_mortem: str = "exit code 137; last lines: out of memory"

    mechanism: FakeMechanism | None = None
    tasks: TaskGroup | None = None

    @property
    def can_hold(self) -> bool:
        return self.mechanism is not None

    def hold(self, log: ExchangeLog) -> GateHold | None:
        if self.mechanism is None or self.tasks is None:
            return None
        return GateHold(self.mechanism, log, self.tasks)

    prompts: Prompts | None = None
    advertised: Advertised = field(default_factory=Advertised)

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service at its present address, which a restart changes."""
        address = self.restarts
        own = FakeService(self.world, log, lambda: self.restarts == address)
        if self.prompts is None:
            return own
        return cast(MemoryService, ProvidedService(own, log, {}, self.prompts, self.advertised))

    async def restart(self) -> RestartReceipt:
        self.restarts += 1
        await self.world.clock.sleep(0.3)
        if self.restart_fails is not None:
            raise self.restart_fails
        if "instance.restart" in self.world.after:
            self.world.after["instance.restart"]("")
        return RestartReceipt(
            provider="fake",
            old_started_at=f"start {self.restarts - (not self.restarts_nothing)}",
            new_started_at=f"start {self.restarts}",
            ready_ms=300.0,
        )

    async def autopsy(self) -> str:
        if self.autopsy_fails is not None:
            raise self.autopsy_fails
        return "" if self.world.alive else self.post_mortem


@dataclass
class FakeTarget:
    """Starts instances of its worlds, one after the other (the last again and again)."""

    worlds: list[FakeWorld]
    is_shared: bool = False
    can_restart: bool = True
    name: str = "fake:"
    start_fails: deque[Exception | None] = field(default_factory=deque)
    end_fails: Exception | None = None
    restart_fails: Exception | None = None
    restarts_nothing: bool = False
    autopsy_fails: Exception | None = None
    mechanism: FakeMechanism | None = None
    prompts: Prompts | None = None
    started_instances: list[FakeInstance] = field(default_factory=list)
    ended: int = 0
    left_behind: Sequence[str] = ()
    is_closed: bool = False

    async def aclose(self) -> None:
        self.is_closed = True

    def facts(self) -> TargetFacts:
        return TargetFacts(name=self.name, kind="fake")

    def started(self) -> AbstractAsyncContextManager[Instance]:
        return self._started()

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[Instance]:
        failure = self.start_fails.popleft() if self.start_fails else None
        if failure is not None:
            raise failure
        world = self.worlds[min(len(self.started_instances), len(self.worlds) - 1)]
        instance = FakeInstance(
            world,
            self.can_restart,
            self.restart_fails,
            self.restarts_nothing,
            autopsy_fails=self.autopsy_fails,
        )
        self.started_instances.append(instance)
        async with background() as tasks:
            instance.mechanism, instance.tasks = self.mechanism, tasks
            instance.prompts = self.prompts
            try:
                yield instance
            finally:
                self.ended += 1
        if self.end_fails is not None:
            raise self.end_fails


@dataclass
class RecordingProgress:
    """Remembers what it was told; `on_event` may interfere."""

    started: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    windows: list[tuple[str, float]] = field(default_factory=list)
    ended: list[tuple[str, Verdict]] = field(default_factory=list)
    on_event: Callable[[Event], None] = lambda event: None

    def scenario_started(self, scenario: str, number: int, total: int) -> None:
        self.started.append(scenario)

    def event_recorded(self, scenario: str, event: Event) -> None:
        self.events.append(event)
        self.on_event(event)

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        self.windows.append((action, left_s))

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None:
        self.ended.append((scenario, verdict))


@dataclass
class FakeReporter:
    """Renders next to nothing."""

    filename: str = "fake.txt"

    def render(self, report: Report) -> str:
        return report.verdict.value


def dead() -> TargetError:
    """The error of an instance that does not come back."""
    return TargetError("the container exited with code 1; last lines: no space left")
