"""Performs scenarios on fakes and holds each result against its own evidence."""

from collections.abc import Callable
from typing import Any

import anyio

from memtru_ci.domain import report as told
from memtru_ci.domain.rejudge import count, rejudge
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.timeline import Action, Event
from memtru_ci.domain.verdict import Verdict, overall
from memtru_ci.run import Run
from memtru_ci.scenarios import PROMISES, SCENARIOS
from tests.fakes import EVERYTHING, FakeClock, FakeTarget, FakeWorld, RecordingProgress

WINDOW_MS = 2000
LATE, AGAIN, DELETED = "MT-AF-001", "MT-AF-002", "MT-DEL-003"


def world(*without: str, **facts: Any) -> FakeWorld:
    """A correct service that offers everything but some capabilities."""
    made = FakeWorld(FakeClock(), EVERYTHING - set(without))
    for name, value in facts.items():
        setattr(made, name, value)
    return made


class Performance:
    """A run on fakes, and what became of it."""

    def __init__(
        self,
        target: FakeTarget,
        *scenarios: str,
        window_ms: int = WINDOW_MS,
        progress: RecordingProgress | None = None,
        is_ephemeral: bool = False,
        update_never_creates: bool = False,
    ) -> None:
        self.target = target
        self.progress = progress or RecordingProgress()
        self.scope: anyio.CancelScope | None = None
        self.was_cancelled = False
        self.run = Run(
            target,
            [one for one in SCENARIOS if one.id in scenarios],
            window_ms=window_ms,
            seed=1,
            is_ephemeral=is_ephemeral,
            update_never_creates=update_never_creates,
            clock=target.worlds[0].clock,
            progress=self.progress,
        )

    def go(self) -> "Performance":
        """Perform, conclude, and check that the evidence bears out every result."""
        anyio.run(self._go)
        report = report_of(self.run.results)
        again = rejudge(report, PROMISES)
        differences = [str(one) for one in again.differences]
        assert differences == [], differences
        return self

    async def _go(self) -> None:
        with anyio.CancelScope() as self.scope:
            await self.run.perform()
        self.was_cancelled = self.scope.cancelled_caught
        self.run.conclude("it was interrupted" if self.was_cancelled else "")

    def cancel(self, *_: object) -> None:
        """Cancel from within."""
        assert self.scope is not None
        self.scope.cancel()

    @property
    def result(self) -> ScenarioResult:
        """The only result."""
        (one,) = self.run.results
        return one

    @property
    def verdict(self) -> tuple[str, str | None, str | None]:
        """Verdict, cause and trigger of the only result."""
        one = self.result
        return one.verdict.value, one.cause and one.cause.value, one.trigger and one.trigger.value


def perform(made: FakeWorld | FakeTarget, scenario: str = LATE, **options: Any) -> Performance:
    """Perform one scenario."""
    target = made if isinstance(made, FakeTarget) else FakeTarget([made])
    return Performance(target, scenario, **options).go()


def perform_cancelled(made: FakeWorld, scenario: str, when: Callable[[Event], bool]) -> Performance:
    """Perform one scenario and cancel the run once an event says so."""
    performance = Performance(FakeTarget([made]), scenario)

    def look(event: Event) -> None:
        if when(event):
            performance.cancel()

    performance.progress.on_event = look
    return performance.go()


def actions(result: ScenarioResult) -> list[str]:
    """What was done, in order."""
    return [one.action.value for one in result.record.events] if result.record else []


def event(result: ScenarioResult, action: Action) -> Event:
    """The first event of a kind."""
    assert result.record is not None
    return result.record.of(action)[0]


def report_of(results: list[ScenarioResult]) -> Report:
    """A report of these results."""
    return Report(
        tool=told.ToolFacts(version="0"),
        run_id="r",
        started_at="2026-01-01T00:00:00Z",
        duration_ms=1,
        complete=True,
        target=told.TestedTarget(name="fake:", kind="fake"),
        settings=told.RunSettings(
            scenarios=list(dict.fromkeys(one.scenario for one in results)),
            window_ms=WINDOW_MS,
            timeout_ms=60000,
            fail_on="high",
            seed=1,
        ),
        verdict=overall(one.verdict for one in results),
        counts=count(list(results)),
        gate=told.GateFacts(
            open=overall(one.verdict for one in results) is Verdict.PASS, exit_code=0
        ),
        results=list(results),
    )
