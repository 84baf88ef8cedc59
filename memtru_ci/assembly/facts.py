"""Puts a run's results together as its report."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtru_ci import __version__, gate
from memtru_ci.domain.rejudge import count
from memtru_ci.domain.report import (
    Report,
    RunSettings,
    ScenarioResult,
    ServiceFacts,
    TestedTarget,
    ToolFacts,
)
from memtru_ci.domain.verdict import Verdict, overall
from memtru_ci.ports import TargetFacts
from memtru_ci.settings.command import command_of
from memtru_ci.settings.file import LoadedSettings
from memtru_ci.settings.selection import Selection

_UNKNOWN = (Verdict.ERROR, Verdict.INCONCLUSIVE)


@dataclass(frozen=True)
class Ended:
    """What a run came to, and how it went."""

    run_id: str
    started_at: str
    duration_ms: int
    interrupted: str
    target: TargetFacts
    service: ServiceFacts | None
    results: Sequence[ScenarioResult]
    warnings: Sequence[str] = ()
    left_behind: Sequence[str] = ()


def report_of(ended: Ended, settings: RunSettings) -> Report:
    """The report, with the gate's decision in it."""
    verdicts = [one.verdict for one in ended.results]
    return Report(
        tool=ToolFacts(version=__version__),
        run_id=ended.run_id,
        started_at=ended.started_at,
        duration_ms=ended.duration_ms,
        complete=not ended.interrupted and not any(one in _UNKNOWN for one in verdicts),
        interrupted=ended.interrupted,
        target=_tested(ended.target, ended.service),
        settings=settings,
        verdict=overall(verdicts),
        counts=count(list(ended.results)),
        gate=gate.decide(ended.results, settings, ended.interrupted),
        warnings=list(ended.warnings),
        results=list(ended.results),
        left_behind=list(ended.left_behind),
    )


def settings_of(loaded: LoadedSettings, selection: Selection, seed: int) -> RunSettings:
    """The settings that a reader of the report needs."""
    settings = loaded.settings
    return RunSettings(
        scenarios=list(selection.ids),
        asked_by_id=list(selection.asked_by_id),
        required=list(selection.required),
        window_ms=settings.window_ms,
        timeout_ms=round(settings.timeout * 1000),
        fail_on=settings.fail_on,
        fail_on_inconclusive=settings.fail_on_inconclusive,
        seed=seed,
        sarif_category=settings.sarif_category,
        command=command_of(loaded),
    )


def _tested(facts: TargetFacts, service: ServiceFacts | None) -> TestedTarget:
    return TestedTarget(
        name=facts.name,
        kind=facts.kind,
        image_digest=facts.image_digest,
        service=service,
        notes=list(facts.notes),
    )
