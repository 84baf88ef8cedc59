"""A whole run: settings in, written report out, nothing left behind."""

import os
import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.to_thread

from memtru_ci.assembly.discretion import DiscreetProgress
from memtru_ci.assembly.facts import Ended, report_of, settings_of
from memtru_ci.assembly.interruption import cut_short
from memtru_ci.assembly.origin import Repository, origin_of
from memtru_ci.assembly.parts import Parts, Performing, real_parts
from memtru_ci.assembly.surroundings import Surroundings, look_around
from memtru_ci.assembly.targets import without_effect
from memtru_ci.domain.report import Report, RunSettings
from memtru_ci.errors import UsageError
from memtru_ci.ports import Progress, Target
from memtru_ci.reporters import Origin, reporters_for
from memtru_ci.reporters.writing import check_writable, write_all
from memtru_ci.settings.file import LoadedSettings
from memtru_ci.settings.model import Settings
from memtru_ci.settings.selection import select

_IN_DOCKER = ("image", "build", "container")


@dataclass(frozen=True)
class _Plan:
    """Everything a run needs, checked: from here on nothing is the user's mistake any more."""

    loaded: LoadedSettings
    facts: RunSettings
    around: Surroundings
    target: Target
    origin: Origin
    run_id: str

    @property
    def output_dir(self) -> Path:
        return Path(self.loaded.settings.output_dir)


def test(
    settings: LoadedSettings | Settings,
    progress: Progress,
    *,
    environment: Mapping[str, str] = os.environ,
    repository: Repository | None = None,
    run_id: str = "",
    parts: Parts | None = None,
) -> Report:
    """Perform a run and write its reports; the report is redacted.

    A target that is bad in any way makes results, not exceptions. Raises `UsageError` for bad
    settings, before anything is started.
    """
    loaded = LoadedSettings(settings) if isinstance(settings, Settings) else settings
    used = parts or real_parts()
    plan = _plan(loaded, environment, repository or Repository(), run_id or new_run_id(), used)
    report = anyio.run(_performed, plan, progress, used)
    write_all(report, plan.output_dir, reporters_for(plan.origin))
    return report


test.__test__ = False  # type: ignore[attr-defined]  # pytest takes the name for a test


def new_run_id() -> str:
    """An id that no other run has, for labels."""
    return uuid.uuid4().hex[:12]


def _plan(
    loaded: LoadedSettings,
    environment: Mapping[str, str],
    repository: Repository,
    run_id: str,
    parts: Parts,
) -> _Plan:
    settings = loaded.settings
    if not settings.has_target:
        raise UsageError(
            "There is nothing to test: no target is named.",
            hint="Name one with --target (for example --target image:acme/memory:1.2) or "
            "--build-context, or with `target:` in memtru.yml. `memtru-ci demo` tests the "
            "built-in service.",
        )
    selection = select(loaded, parts.known, parts.suites)
    origin = origin_of(loaded, repository, selection.ids)
    around = look_around(settings, environment)
    check_writable(Path(settings.output_dir))
    seed = random.SystemRandom().randrange(2**31) if settings.seed is None else settings.seed
    facts = settings_of(settings, selection, seed)
    target = parts.make_target(loaded, around, run_id)
    return _Plan(loaded, facts, around, target, origin, run_id)


async def _performed(plan: _Plan, progress: Progress, parts: Parts) -> Report:
    run = parts.make_run(
        plan.target,
        parts.chosen(plan.facts.scenarios),
        window_ms=plan.facts.window_ms,
        seed=plan.facts.seed,
        clock=parts.clock,
        progress=DiscreetProgress(progress, plan.around.redactor),
    )
    started_at, began = datetime.now(UTC), parts.clock.now()
    interrupted = await cut_short(run.perform, plan.loaded.settings.timeout)
    run.conclude(interrupted)
    ended = Ended(
        run_id=plan.run_id,
        started_at=started_at.isoformat(timespec="milliseconds"),
        duration_ms=round((parts.clock.now() - began) * 1000),
        interrupted=interrupted,
        target=plan.target.facts(),
        service=run.service,
        results=run.results,
    )
    return _report(plan, run, replace(ended, left_behind=await _left_behind(plan, parts)))


def _report(plan: _Plan, run: Performing, ended: Ended) -> Report:
    warnings = [*without_effect(plan.loaded), *run.warnings]
    report = report_of(replace(ended, warnings=warnings), plan.facts)
    return plan.around.redactor.model(report)


async def _left_behind(plan: _Plan, parts: Parts) -> list[str]:
    """What is still there although everything was told to go; another try is made at it."""
    if plan.loaded.settings.target_name.kind not in _IN_DOCKER:
        return []
    return list(await anyio.to_thread.run_sync(parts.sweep, plan.run_id))
