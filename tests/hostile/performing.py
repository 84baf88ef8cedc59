"""Performs a scenario over a misbehaving service, and keeps all that was shown and written."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.assembly.discretion import DiscreetProgress
from memtru_ci.assembly.facts import Ended, report_of
from memtru_ci.cli.console import PlainProgress
from memtru_ci.domain.redaction import Redactor
from memtru_ci.domain.rejudge import rejudge
from memtru_ci.domain.report import Report, RunSettings, ScenarioResult
from memtru_ci.github.log import Log
from memtru_ci.github.progress import LogProgress
from memtru_ci.ports import Progress
from memtru_ci.reporters import reporters_for
from memtru_ci.run import Run
from memtru_ci.scenarios import PROMISES, SCENARIOS
from tests.hostile.service import Behaviour, HostileTarget

LATE, AGAIN, DELETED = "MT-AF-001", "MT-AF-002", "MT-DEL-003"
AT_ONCE = 24


@dataclass(frozen=True)
class Case:
    """A behaviour, and what the gate must say of it."""

    name: str
    behaviour: Callable[[], Behaviour]
    verdict: str
    cause: str | None = None
    scenario: str = LATE
    window_ms: int = 500

    def __str__(self) -> str:
        return self.name


@dataclass
class Performed:
    """What a run came to, and all that it showed and wrote."""

    result: ScenarioResult
    report: Report
    console: str
    log: str
    documents: dict[str, str]

    @property
    def verdict(self) -> tuple[str, str | None]:
        """Verdict and cause."""
        cause = self.result.cause
        return self.result.verdict.value, cause.value if cause else None

    @property
    def everything(self) -> dict[str, str]:
        """All that a reader may come to see, by where it stands."""
        return {**self.documents, "console": self.console, "log": self.log}


async def perform(case: Case, secrets: Sequence[str] = ()) -> Performed:
    """Perform one case, and write its documents."""
    redactor = Redactor(secrets)
    console, log = io.StringIO(), io.StringIO()
    both = _Both((PlainProgress(console), LogProgress(Log(log))))
    target = HostileTarget(case.behaviour())
    run = Run(
        target,
        [one for one in SCENARIOS if one.id == case.scenario],
        window_ms=case.window_ms,
        seed=7,
        clock=MonotonicClock(),
        progress=DiscreetProgress(both, redactor),
    )
    await run.perform()
    run.conclude()
    report = redactor.model(_report(run, target, case))
    documents = {one.filename: one.render(report) for one in reporters_for()}
    (result,) = report.results
    return Performed(result, report, console.getvalue(), log.getvalue(), documents)


async def perform_all(cases: Sequence[Case], at_once: int = AT_ONCE) -> dict[str, Performed]:
    """Perform cases side by side."""
    done: dict[str, Performed] = {}
    room = anyio.CapacityLimiter(at_once)

    async def put(case: Case) -> None:
        async with room:
            done[case.name] = await perform(case)

    async with anyio.create_task_group() as group:
        for case in cases:
            group.start_soon(put, case)
    return done


def judged_again(performed: Performed) -> list[str]:
    """Where a second judgement of the written report differs."""
    report = Report.model_validate_json(performed.documents["report.json"])
    json.loads(performed.documents["memtru.sarif"])
    return [str(one) for one in rejudge(report, PROMISES).differences]


def _report(run: Run, target: HostileTarget, case: Case) -> Report:
    settings = RunSettings(
        scenarios=[case.scenario],
        window_ms=case.window_ms,
        timeout_ms=60000,
        fail_on="high",
        seed=7,
    )
    ended = Ended(
        run_id="r",
        started_at="2026-01-01T00:00:00.000+00:00",
        duration_ms=1,
        interrupted="",
        target=target.facts(),
        service=run.service,
        results=run.results,
        warnings=run.warnings,
    )
    return report_of(ended, settings)


class _Both:
    """Tells several."""

    def __init__(self, told: Sequence[Progress]) -> None:
        self._told = told

    def __getattr__(self, name: str) -> Any:
        def tell(*facts: Any) -> None:
            for one in self._told:
                getattr(one, name)(*facts)

        return tell
