"""What single values cannot show: settings that contradict each other or miss another one."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from memtru_ci.settings.text import Path

if TYPE_CHECKING:
    from memtru_ci.settings.model import Settings

MADE_OF_IMAGES = frozenset({"image", "build"})
WITHOUT_STAND_IN = frozenset({"container", "embedded"})
CONTRACT_ONLY = frozenset({"python", "embedded"})


class Contradiction(ValueError):
    """Something that settings say together; `location` is the key that it is told at."""

    def __init__(self, location: Path, detail: str) -> None:
        super().__init__(detail)
        self.location = location


def refuse_contradictions(settings: "Settings") -> None:
    """Raises the first `Contradiction` there is."""
    for check in _CHECKS:
        for found in check(settings):
            raise found


def _targets(settings: "Settings") -> Iterator[Contradiction]:
    if settings.build and settings.target and settings.target_name.kind != "build":
        yield Contradiction((), "`target` and `build` name two targets; keep one of them")


def _variables(settings: "Settings") -> Iterator[Contradiction]:
    for name in sorted(set(settings.env) & set(settings.secrets)):
        detail = f"`{name}` is both in `env` and in `secrets`; keep one of them"
        yield Contradiction((), detail)
    for called, sidecar in settings.services.items():
        for name in sorted(set(sidecar.env) & set(sidecar.secrets)):
            detail = f"`{name}` is both in its `env` and in its `secrets`; keep one of them"
            yield Contradiction(("services", called), detail)


def _sidecars(settings: "Settings") -> Iterator[Contradiction]:
    kind = settings.kind
    if settings.services and kind and kind not in MADE_OF_IMAGES:
        detail = f"{kind}: targets cannot reach sidecars; they are for image: and build: targets"
        yield Contradiction(("services",), detail)
    for name, one in settings.services.items():
        if len(one.mounts) < len(one.volumes):
            yield Contradiction(("services", name, "volumes"), "a volume is named twice")


def _empty(settings: "Settings") -> Iterator[Contradiction]:
    for key in ("service", "model", "hold"):
        if key in settings.model_fields_set and getattr(settings, key) is None:
            yield Contradiction((key,), "it has no value; leave it out, or give it a map")


def _model(settings: "Settings") -> Iterator[Contradiction]:
    model = settings.model
    if model is None:
        return
    if not any("{url}" in value for value in model.env.values()):
        yield Contradiction(("model", "env"), "no value names {url}, the address of the stand-in")
    for key, names in (("env", settings.env), ("secrets", settings.secrets)):
        for name in sorted(set(model.env) & set(names)):
            detail = f"`{name}` is both in `{key}` and in `model.env`; keep one of them"
            yield Contradiction(("model",), detail)
    if settings.kind == "url" and model.port is None:
        detail = (
            "url: targets are told nothing by the gate: give `model.port`, and point yours there"
        )
        yield Contradiction(("model",), detail)


def _hold(settings: "Settings") -> Iterator[Contradiction]:
    hold = settings.hold
    if hold is None:
        return
    if hold.sidecar is not None and hold.sidecar not in settings.services:
        there = ", ".join(settings.services) or "none"
        detail = f'"{hold.sidecar}" is not among the sidecars of `services` ({there})'
        yield Contradiction(("hold", "sidecar"), detail)
    if hold.port is not None and hold.sidecar is None:
        yield Contradiction(("hold", "port"), "it is the port of a store: name `hold.sidecar`")
    if hold.by in ("store", "worker") and hold.sidecar is None:
        yield Contradiction(("hold", "by"), f"{hold.by} needs `hold.sidecar`")
    if hold.by == "store" and hold.port is None:
        yield Contradiction(("hold", "by"), "store needs `hold.port`, the port of the store")
    if hold.by in ("service", "model", "wire") and hold.sidecar is not None:
        yield Contradiction(("hold", "sidecar"), f"it means nothing to {hold.by}: leave it out")
    if hold.by == "worker" and hold.port is not None:
        yield Contradiction(("hold", "port"), "it means nothing to worker: leave it out")


def _hold_and_target(settings: "Settings") -> Iterator[Contradiction]:
    by = settings.hold.by if settings.hold else None
    if by == "model" and settings.model is None:
        yield Contradiction(("hold", "by"), "model needs the key `model`: write `model: {}`")
    if by == "model" and settings.kind in WITHOUT_STAND_IN:
        detail = f"the gate cannot lead {settings.kind}: targets to the model stand-in"
        yield Contradiction(("hold", "by"), detail)
    if by == "service" and settings.is_mapped:
        yield Contradiction(("hold", "by"), "a service without the contract has no hook to hold by")
    if by == "wire" and settings.service is not None and settings.service.kind == "mcp":
        detail = "calls of tools have no request body to withhold; choose model, store or worker"
        yield Contradiction(("hold", "by"), detail)
    if by not in (None, "service") and settings.kind == "embedded":
        yield Contradiction(("hold", "by"), "the embedded service holds its writes itself")


def _service(settings: "Settings") -> Iterator[Contradiction]:
    if settings.is_mapped and settings.kind in CONTRACT_ONLY:
        detail = f"{settings.kind}: targets speak the contract: leave `service` out"
        yield Contradiction(("service",), detail)


_CHECKS: tuple[Callable[["Settings"], Iterator[Contradiction]], ...] = (
    *(_targets, _variables, _sidecars, _empty, _model, _hold, _hold_and_target, _service),
)
