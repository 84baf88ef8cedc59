"""Makes the target that the settings name: the only file that knows every kind."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

import anyio

from memtru_ci.assembly.beside import attendants_of, jobs_of, sidecars_of
from memtru_ci.assembly.dialects import dialect_of
from memtru_ci.assembly.surroundings import Surroundings
from memtru_ci.errors import InfrastructureError
from memtru_ci.ports import Instance, Target, TargetFacts
from memtru_ci.settings.file import LoadedSettings

if TYPE_CHECKING:
    from memtru_ci.targets.options import ContainerOptions

_ENDING_S = 15.0

Make = Callable[[LoadedSettings, Surroundings, str], Target]

_IN_CONTAINERS = frozenset(
    {
        *("env", "secrets", "egress", "volumes", "tmpfs", "user", "command", "memory"),
        *("cpus", "pids", "read_only", "capabilities", "port", "stop_grace"),
        *("services", "model", "jobs"),
    }
)
_FOR_ANY_SERVICE = frozenset({"service", "hold", "update_never_creates"})
_FOR_EVERYONE = frozenset({"health_path", "ready_timeout", "token_env", "state"}) | _FOR_ANY_SERVICE
_TAKES: dict[str, frozenset[str]] = {
    "image": _IN_CONTAINERS | _FOR_EVERYONE,
    "build": _IN_CONTAINERS | _FOR_EVERYONE,
    "container": _FOR_EVERYONE | {"port", "stop_grace", "allow_restart", "jobs"},
    "url": _FOR_EVERYONE | {"model"},
    "process": _FOR_EVERYONE | {"port", "env", "secrets", "stop_grace", "model"},
    "python": _FOR_ANY_SERVICE | {"options", "ready_timeout", "env", "secrets", "state", "model"},
    "embedded": frozenset({"state"}),
}
_TARGETS_OWN = _IN_CONTAINERS | _FOR_EVERYONE | {"options", "allow_restart"}


def make_target(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    """The target, not started yet; one that cannot even be made fails when it is started.

    Raises `UsageError` where its name or options are wrong.
    """
    name = loaded.settings.target_name
    try:
        return MAKERS[name.kind](loaded, around, run_id)
    except InfrastructureError as error:
        return UnstartableTarget(str(name), name.kind, error)


def without_effect(loaded: LoadedSettings) -> list[str]:
    """Settings that were given and that this kind of target does not take, for a warning each."""
    kind = loaded.settings.target_name.kind
    given = loaded.settings.model_fields_set & (_TARGETS_OWN - _TAKES[kind])
    return [f"`{key}` has no effect on a {kind}: target." for key in sorted(given)]


async def ended(target: Target) -> list[str]:
    """End what a target keeps between its starts; names what could not be removed."""
    with anyio.CancelScope(shield=True), anyio.move_on_after(_ENDING_S):
        await target.aclose()
    return list(target.left_behind)


class UnstartableTarget:
    """A target that could not be made, so that the run reports why in its results."""

    is_shared = False
    left_behind: Sequence[str] = ()

    def __init__(self, name: str, kind: str, error: InfrastructureError) -> None:
        self.name = name
        self._kind = kind
        self._error = error

    def facts(self) -> TargetFacts:
        """Its name and kind are all that is known."""
        return TargetFacts(name=self.name, kind=self._kind)

    def started(self) -> AbstractAsyncContextManager[Instance]:
        """Raises the error that it could not be made for."""
        raise self._error

    async def aclose(self) -> None:
        """Nothing was made."""


def _image(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.image import ImageTarget

    return ImageTarget(loaded.settings.target_name.rest, _options(loaded, around), run_id)


def _build(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.build import BuildTarget

    build = loaded.settings.build
    dockerfile = build.dockerfile if build else "Dockerfile"
    return BuildTarget(loaded.context, dockerfile, _options(loaded, around), run_id)


def _container(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.container import ContainerTarget

    name, settings = loaded.settings.target_name.rest, loaded.settings
    return ContainerTarget(name, _options(loaded, around), run_id, settings.allow_restart)


def _url(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.url import UrlTarget

    settings = loaded.settings
    return UrlTarget(
        settings.target_name.rest,
        health_path=settings.health_path,
        ready_timeout_s=settings.ready_timeout,
        token=around.token,
        dialect=dialect_of(settings),
        attendants=attendants_of(settings),
    )


def _process(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.process import ProcessTarget

    settings = loaded.settings
    return ProcessTarget(
        settings.target_name.rest,
        port=settings.port,
        env=around.env,
        health_path=settings.health_path,
        ready_timeout_s=settings.ready_timeout,
        stop_grace_s=settings.stop_grace,
        token=around.token,
        dialect=dialect_of(settings),
        attendants=attendants_of(settings),
    )


def _python(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.python import PythonTarget

    settings = loaded.settings
    return PythonTarget(
        settings.target_name.rest,
        settings.options,
        ready_timeout_s=settings.ready_timeout,
        env=around.env,
        attendants=attendants_of(settings),
    )


def _embedded(loaded: LoadedSettings, around: Surroundings, run_id: str) -> Target:
    from memtru_ci.targets.embedded import EmbeddedTarget

    return EmbeddedTarget(loaded.settings.target_name.rest or None)


def _options(loaded: LoadedSettings, around: Surroundings) -> "ContainerOptions":
    from memtru_ci.targets.options import ContainerOptions

    settings = loaded.settings
    return ContainerOptions(
        port=settings.port,
        env=around.env,
        health_path=settings.health_path,
        ready_timeout_s=settings.ready_timeout,
        stop_grace_s=settings.stop_grace,
        egress=settings.egress,
        volumes=settings.volumes,
        tmpfs=settings.tmpfs,
        user=settings.user,
        command=settings.command,
        memory=settings.memory,
        cpus=settings.cpus,
        pids=settings.pids,
        read_only=settings.read_only,
        capabilities=settings.capabilities,
        token=around.token,
        sidecars=sidecars_of(settings, around),
        dialect=dialect_of(settings),
        attendants=attendants_of(settings),
        jobs=jobs_of(settings),
    )


MAKERS: dict[str, Make] = {
    "image": _image,
    "build": _build,
    "container": _container,
    "url": _url,
    "process": _process,
    "python": _python,
    "embedded": _embedded,
}
