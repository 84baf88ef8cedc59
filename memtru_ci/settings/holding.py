"""Which way of holding a write a run takes, where the settings leave it open."""

from memtru_ci.settings.contradictions import WITHOUT_STAND_IN
from memtru_ci.settings.driving import HoldBy
from memtru_ci.settings.model import Settings


def hold_by(settings: Settings) -> HoldBy:
    """The way that was named; else a service of the contract holds by its own hook.

    A service without the contract, or a `hold` that names no way, gets the strongest that can be
    had: model, store, worker, wire.
    """
    hold = settings.hold
    service = settings.service
    if hold is not None and hold.by is not None:
        return hold.by
    if settings.kind == "embedded" or (hold is None and not settings.is_mapped):
        return "service"
    if settings.model is not None and settings.kind not in WITHOUT_STAND_IN:
        return "model"
    if hold is not None and hold.sidecar is not None:
        return "worker" if hold.port is None else "store"
    # There is no request body to withhold where tools are called.
    return "service" if service is not None and service.kind == "mcp" else "wire"
