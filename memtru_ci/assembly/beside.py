"""What settings name beside the target, as the targets take it."""

from dataclasses import asdict

from memtru_ci.assembly.surroundings import Surroundings
from memtru_ci.containers import HealthCheck
from memtru_ci.settings.contradictions import WITHOUT_STAND_IN
from memtru_ci.settings.holding import hold_by
from memtru_ci.settings.model import Settings
from memtru_ci.settings.sidecar import Sidecar
from memtru_ci.targets.attendants import AttendantOptions, HoldOptions, ModelOptions
from memtru_ci.targets.options import JobOptions
from memtru_ci.targets.sidecars import SidecarOptions


def sidecars_of(settings: Settings, around: Surroundings) -> list[SidecarOptions]:
    """The sidecars, in the order in which they are started."""
    return [_sidecar(name, one, around) for name, one in settings.services.items()]


def attendants_of(settings: Settings) -> AttendantOptions:
    """What the gate runs beside the target, and what holds writes."""
    model, hold = settings.model, settings.hold
    if settings.kind in WITHOUT_STAND_IN:
        model = None
    return AttendantOptions(
        model=ModelOptions(model.env, model.dimensions, model.port or 0) if model else None,
        hold=HoldOptions(
            by=hold_by(settings),
            sidecar=(hold.sidecar if hold else None) or "",
            port=(hold.port if hold else None) or 0,
        ),
    )


def jobs_of(settings: Settings) -> dict[str, JobOptions]:
    """The commands that stand for lifecycle events, by the event's name."""
    return {name: JobOptions(one.command, one.timeout) for name, one in settings.jobs.items()}


def _sidecar(name: str, one: Sidecar, around: Surroundings) -> SidecarOptions:
    return SidecarOptions(
        name=name,
        image=one.image,
        env=around.sidecar_env.get(name, one.env),
        command=one.command,
        health=HealthCheck(**asdict(one.health)) if one.health else None,
        volumes=one.mounts,
        memory=one.memory,
        capabilities=one.capabilities,
    )
