"""All that can be plugged in: services, targets, clocks, progress and reporters.

Every port has a fake in `tests/fakes.py`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from pydantic import JsonValue

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.receipt import HookReceipt, RestartReceipt
from memtru_ci.domain.report import Report
from memtru_ci.domain.timeline import Event
from memtru_ci.domain.verdict import Verdict

T = TypeVar("T", covariant=True)


class Clock(Protocol):
    """Time, so that tests need none."""

    def now(self) -> float:
        """Seconds on a monotonic clock."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; not at all where `seconds` is not positive."""
        ...


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A value that a service gave, and the numbers of the exchanges it came by."""

    value: T
    steps: tuple[int, ...]


@dataclass(frozen=True)
class ServiceInfo:
    """What a service says of itself at `GET /capabilities`."""

    name: str
    version: str
    capabilities: frozenset[str]
    consistency_window_ms: int = 0


@dataclass(frozen=True)
class Memory:
    """A result of a surface. `id` is empty where the surface gives none."""

    content: str
    id: str = ""


@dataclass(frozen=True)
class TakenEvents:
    """What became of events of the temporal policy; `rejected` are indexes and reasons."""

    accepted: int
    rejected: tuple[tuple[int, str], ...] = ()


class ExchangeLog(Protocol):
    """Takes the exchanges of one trial as evidence and numbers them."""

    def next_step(self) -> int:
        """The number of the exchange that begins now."""
        ...

    def now_ms(self) -> float:
        """Milliseconds since the trial began."""
        ...

    def keep(self, exchange: Exchange) -> None:
        """Keep a finished exchange."""
        ...


class MemoryService(Protocol):
    """The service as a trial sees it; each call is one operation of the HTTP contract.

    Every method raises `ServiceError` (see `errors`), with the steps of what was exchanged, and
    ends within the service's own deadline. Nothing but reads is ever sent twice.
    """

    async def info(self) -> Answer[ServiceInfo]: ...

    async def write(
        self, namespace: str, content: str, *, thread_id: str | None = None
    ) -> Answer[str]: ...

    async def update(self, namespace: str, memory_id: str, content: str) -> Answer[str]: ...

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        """Start a run of the service's own on a thread; the value is any id it answers with.

        Not an operation of the contract: only services that are spoken to through a mapping have
        it. Raises `NotOffered` elsewhere.
        """
        ...

    async def search(self, namespace: str, query: str) -> Answer[Sequence[Memory]]: ...

    async def list(self, namespace: str) -> Answer[Sequence[Memory]]: ...

    async def delete(self, namespace: str, memory_id: str) -> Answer[int]:
        """Delete one memory; the value is the status (200, 202 or 204).

        Raises `NoSuchRecord` where the service knows no such memory.
        """
        ...

    async def delete_thread(self, namespace: str, thread_id: str) -> Answer[HookReceipt]: ...

    async def delete_namespace(self, namespace: str) -> Answer[HookReceipt]: ...

    async def begin_pending_write(
        self, namespace: str, content: str, *, target_id: str | None, thread_id: str | None
    ) -> Answer[HookReceipt]: ...

    async def release_pending_writes(self, namespace: str) -> Answer[HookReceipt]: ...

    async def record_conversation(
        self, namespace: str, thread_id: str, messages: Sequence[str]
    ) -> Answer[HookReceipt]:
        """Append user messages to the retained history of a thread."""
        ...

    async def start_session(self, namespace: str) -> Answer[HookReceipt]: ...

    async def consolidate(self, namespace: str) -> Answer[HookReceipt]: ...

    async def restart(self) -> Answer[HookReceipt]: ...

    async def surfaces(self, namespace: str) -> Answer[Sequence[str]]:
        """The names of further surfaces."""
        ...

    async def inspect_surface(
        self, namespace: str, surface: str, query: str
    ) -> Answer[Sequence[Memory]]: ...

    async def policy_events(self, events: Sequence[JsonValue]) -> Answer[TakenEvents]:
        """Send events of the temporal policy, in their order of arrival."""
        ...

    async def policy_query(self, question: Mapping[str, JsonValue]) -> Answer[Sequence[str]]:
        """The ids that answer a question; its keys are those of the contract's message."""
        ...


@runtime_checkable
class RunsThreads(Protocol):
    """A service that has runs of its own on a thread, such as those of an agent's graph."""

    async def run(self, namespace: str, thread_id: str, content: str) -> Answer[str]:
        """Start a run and wait for its end; the value is its id, or else the thread's.

        `content` is the run's input; it must be neutral where the run is to be held, so that a
        secret that comes back can only come from earlier state. Raises `NotOffered` where the
        service has no such thing.
        """
        ...


class HoldDriver(Protocol):
    """Holds a write in flight from outside of the service (catalogue, rule 10).

    One write at a time. What it does is kept in the log of the trial that it was made for.
    """

    @property
    def mechanism(self) -> str:
        """What holds it: `model_stand_in`, `store_proxy`, `worker_pause` or `withheld_body`."""
        ...

    async def begin(
        self, write: Callable[[], Awaitable[Answer[str]]], secret: str, namespace: str
    ) -> Answer[HookReceipt]:
        """Send the write, and answer once it is held; the receipt says so, or why it is not.

        What is held is recognised by `secret`, which the write carries.
        """
        ...

    async def release(self, namespace: str) -> Answer[HookReceipt]:
        """Let the write go on; may be called at any time, and does nothing the second time."""
        ...

    async def outcome(self, namespace: str) -> Answer[str]:
        """The write's own answer, once it is there.

        Raises the `ServiceError` that it ended with, or `NoAnswer` where it never ends.
        """
        ...


class Instance(Protocol):
    """A started target."""

    @property
    def can_restart(self) -> bool:
        """Whether the gate itself can restart it (then the service's own hook is never called)."""
        ...

    def service(self, log: ExchangeLog) -> MemoryService:
        """The service, with its exchanges kept in `log`."""
        ...

    @property
    def can_hold(self) -> bool:
        """Whether the gate itself holds writes of this instance (then no hook is called)."""
        ...

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        """What holds writes in flight from outside; null where that is left to the service."""
        ...

    async def restart(self) -> RestartReceipt:
        """Stop the process and start a new one over the same data; wait until it is healthy.

        Raises `TargetError` with exit code and last log lines where it does not come back.
        """
        ...

    async def autopsy(self) -> str:
        """How the process died: exit code and last log lines; empty while it lives."""
        ...


@dataclass(frozen=True)
class TargetFacts:
    """What a report says of the thing that was tested. Known once the target has started."""

    name: str
    kind: str
    image_digest: str | None = None
    notes: tuple[str, ...] = ()
    """Opt-outs from isolation, and whatever else a reader should know."""


class Target(Protocol):
    """Something that can be started and then speaks a service's API."""

    @property
    def name(self) -> str:
        """How the user named it, for example `image:acme/memory:1.2`."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether all scenarios meet the same instance (`url:`, `container:`)."""
        ...

    def facts(self) -> TargetFacts: ...

    def started(self) -> AbstractAsyncContextManager[Instance]:
        """Start a fresh instance (attach, where it is shared) and remove it at the end.

        Raises `EngineError` or `TargetError` where it cannot be brought up.
        """
        ...

    async def aclose(self) -> None:
        """At the end of the run: remove what it keeps between its starts, such as an image."""
        ...

    @property
    def left_behind(self) -> Sequence[str]:
        """What it made and could not remove again, by kind and name; whole after `aclose`."""
        ...


class Progress(Protocol):
    """Is told what happens while it happens."""

    def scenario_started(self, scenario: str, number: int, total: int) -> None: ...

    def event_recorded(self, scenario: str, event: Event) -> None: ...

    def window_open(self, scenario: str, action: str, left_s: float) -> None:
        """A watch goes on; `left_s` seconds of its window are left."""
        ...

    def scenario_ended(self, scenario: str, verdict: Verdict, reason: str) -> None: ...


class Reporter(Protocol):
    """Renders a report as one document."""

    @property
    def filename(self) -> str: ...

    def render(self, report: Report) -> str: ...
