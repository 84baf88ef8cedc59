"""Performs a scenario over a misbehaving service, and keeps all that was shown and written."""

import io
import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import anyio

from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.assembly.discretion import DiscreetProgress
from memtru_ci.assembly.facts import Ended, report_of
from memtru_ci.cli.console import PlainProgress
from memtru_ci.cli.ending import show_ending
from memtru_ci.domain.redaction import Redactor
from memtru_ci.domain.rejudge import rejudge
from memtru_ci.domain.report import Report, RunSettings, ScenarioResult
from memtru_ci.github.annotations import annotate
from memtru_ci.github.log import Log
from memtru_ci.github.progress import LogProgress
from memtru_ci.ports import Progress
from memtru_ci.reporters import reporters_for
from memtru_ci.run import Run
from memtru_ci.scenarios import PROMISES, SCENARIOS
from tests.hostile.service import Behaviour, HostileTarget

LATE, AGAIN, DELETED = "MT-AF-001", "MT-AF-002", "MT-DEL-003"
AT_ONCE = 8
_NOT_COVERED = "window_not_covered"
REPEATS = 2
"""How often a trial is repeated for which a busy machine had no time: never one with a finding."""


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

    @property
    def verdict(self) -> tuple[str, str | None]:
        """Verdict and cause."""
        cause = self.result.cause
        return self.result.verdict.value, cause.value if cause else None

    @property
    def is_for_want_of_time(self) -> bool:
        """Whether looks came too late for a verdict."""
        return self.verdict == ("INCONCLUSIVE", _NOT_COVERED)

    @cached_property
    def documents(self) -> dict[str, str]:
        """Every document, by its name."""
        return {one.filename: one.render(self.report) for one in reporters_for()}

    @cached_property
    def ending(self) -> str:
        """The block at the end of the commands."""
        with redirect_stdout(io.StringIO()) as out:
            show_ending(self.report, Path("out"), "memtru-ci test")
        return out.getvalue()

    @cached_property
    def annotations(self) -> str:
        """What stands beside the files."""
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder:
            sarif = Path(folder, "memtru.sarif")
            sarif.write_text(self.documents[sarif.name])
            annotate(Log(out), self.report, sarif)
        return out.getvalue()

    @property
    def texts(self) -> dict[str, str]:
        """What is shown line by line."""
        return {
            "console": self.console,
            "log": self.log,
            "ending": self.ending,
            "annotations": self.annotations,
        }

    @property
    def everything(self) -> dict[str, str]:
        """All that a reader may come to see, by where it stands."""
        return {**self.documents, **self.texts}


async def perform(case: Case, secrets: Sequence[str] = ()) -> Performed:
    """Perform one case."""
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
    (result,) = report.results
    return Performed(result, report, console.getvalue(), log.getvalue())


async def perform_all(cases: Sequence[Case], secrets: Sequence[str] = ()) -> dict[str, Performed]:
    """Perform cases side by side; those that a busy machine had no time for, again by themselves.

    A window that was not covered is no finding, and the gate says so itself.
    """
    done: dict[str, Performed] = {}
    room = anyio.CapacityLimiter(AT_ONCE)

    async def put(case: Case) -> None:
        async with room:
            done[case.name] = await perform(case, secrets)

    async with anyio.create_task_group() as group:
        for case in cases:
            group.start_soon(put, case)
    for case in cases:
        for _ in range(REPEATS):
            if done[case.name].is_for_want_of_time and case.cause != _NOT_COVERED:
                done[case.name] = await perform(case, secrets)
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
