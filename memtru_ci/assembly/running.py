"""A whole run: settings in, written report out, nothing left behind."""

import os
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio

from memtru_ci.assembly.discretion import DiscreetProgress
from memtru_ci.assembly.facts import Ended, report_of, settings_of
from memtru_ci.assembly.interruption import Ears, cut_short
from memtru_ci.assembly.parts import Parts, real_parts
from memtru_ci.assembly.surroundings import Surroundings, look_around
from memtru_ci.assembly.targets import ended, without_effect
from memtru_ci.domain.report import Report, RunSettings
from memtru_ci.errors import UsageError
from memtru_ci.ports import Progress, Target
from memtru_ci.reporters import Origin, reporters_for
from memtru_ci.reporters.origins import origin_of, repository_root
from memtru_ci.reporters.writing import check_writable, write_all
from memtru_ci.settings.file import LoadedSettings
from memtru_ci.settings.model import Settings
from memtru_ci.settings.selection import select


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


def perform(
    settings: LoadedSettings | Settings,
    progress: Progress,
    *,
    environment: Mapping[str, str] = os.environ,
    run_id: str = "",
    parts: Parts | None = None,
) -> Report:
    """Perform a run and write its reports; the report is redacted.

    A target that is bad in any way makes results, not exceptions. Raises `UsageError` for bad
    settings, before anything is started.
    """
    loaded = LoadedSettings(settings) if isinstance(settings, Settings) else settings
    used = parts or real_parts()
    plan = _plan(loaded, environment, run_id or new_run_id(), used)
    ears = Ears()
    with ears.restored():
        report = anyio.run(_performed, plan, progress, used, ears)
        write_all(report, plan.output_dir, reporters_for(plan.origin))
    return report


def new_run_id() -> str:
    """An id that no other run has, for labels."""
    return uuid.uuid4().hex[:12]


def named_target(loaded: LoadedSettings) -> None:
    """Raises `UsageError` where no target is named."""
    if not loaded.settings.has_target:
        raise UsageError(
            "There is nothing to test: no target is named.",
            hint="Name one with --target (for example --target image:acme/memory:1.2) or "
            "--build-context, or with `target:` in memtru.yml. `memtru-ci demo` tests the "
            "built-in service.",
        )


def _plan(
    loaded: LoadedSettings,
    environment: Mapping[str, str],
    run_id: str,
    parts: Parts,
) -> _Plan:
    settings = loaded.settings
    named_target(loaded)
    selection = select(loaded, parts.known, parts.suites)
    origin = _origin(loaded, selection.ids, environment)
    around = look_around(settings, environment)
    check_writable(Path(settings.output_dir))
    seed = random.SystemRandom().randrange(2**31) if settings.seed is None else settings.seed
    facts = settings_of(loaded, selection, seed)
    target = parts.make_target(loaded, around, run_id)
    return _Plan(loaded, facts, around, target, origin, run_id)


async def _performed(plan: _Plan, progress: Progress, parts: Parts, ears: Ears) -> Report:
    run = parts.make_run(
        plan.target,
        parts.chosen(plan.facts.scenarios),
        window_ms=plan.facts.window_ms,
        seed=plan.facts.seed,
        is_ephemeral=plan.loaded.settings.state == "ephemeral",
        update_never_creates=plan.loaded.settings.update_never_creates,
        clock=parts.clock,
        progress=DiscreetProgress(progress, plan.around.redactor),
    )
    started_at, began = datetime.now(UTC), parts.clock.now()
    try:
        await cut_short(run.perform, plan.loaded.settings.timeout, ears)
    finally:
        left_behind = await ended(plan.target)
    run.conclude(ears.why)
    come_to = Ended(
        run_id=plan.run_id,
        started_at=started_at.isoformat(timespec="milliseconds"),
        duration_ms=round((parts.clock.now() - began) * 1000),
        interrupted=ears.why,
        target=plan.target.facts(),
        service=run.service,
        results=run.results,
        warnings=[*without_effect(plan.loaded), *run.warnings],
        left_behind=left_behind,
    )
    return plan.around.redactor.model(report_of(come_to, plan.facts))


def _origin(
    loaded: LoadedSettings, scenarios: Sequence[str], environment: Mapping[str, str]
) -> Origin:
    build = loaded.settings.build
    return origin_of(
        repository_root(Path()),
        scenarios=scenarios,
        given=loaded.settings.anchor or "",
        settings=loaded.path.absolute() if loaded.path else None,
        dockerfile=(loaded.context / build.dockerfile).absolute() if build else None,
        environ=environment,
    )
