"""How a held write was held, and by whom: what a record shows of it (catalogue, rule 10)."""

from memtru_ci.domain.evidence import Exchange

SERVICE_HOOK = "service_hook"
MODEL_STAND_IN = "model_stand_in"
STORE_PROXY = "store_proxy"
WORKER_PAUSE = "worker_pause"
WITHHELD_BODY = "withheld_body"

LEVELS = {
    SERVICE_HOOK: "declared",
    MODEL_STAND_IN: "application",
    STORE_PROXY: "store",
    WORKER_PAUSE: "worker",
    WITHHELD_BODY: "transport",
}
"""The level of each mechanism."""

UNSEEN = frozenset({WORKER_PAUSE, WITHHELD_BODY})
"""Mechanisms that do not see the write arrive inside the service."""

HELD_LOOK_MS = 3000.0
"""How long an update that was accepted at once has to stay unseen while it is held."""

HOLD, RELEASE = "hold", "release_hold"
"""The operations by which the gate's own holds are kept as evidence."""

REFUSALS = frozenset({400, 403, 404, 409, 410, 412, 422, 423, 428})
"""Statuses by which a service refuses a late write by its own rules: it was dealt with."""


def held_look_ms(window_ms: float, consistency_window_ms: float) -> float:
    """How long to look for a held update that was accepted at once, milliseconds."""
    return max(min(window_ms, HELD_LOOK_MS), consistency_window_ms)


def mechanism_of(exchange: Exchange) -> str:
    """What held the write, by the exchange in which it was begun."""
    if exchange.operation != HOLD:
        return SERVICE_HOOK
    request = exchange.request
    named = request.get("mechanism") if isinstance(request, dict) else None
    return named if isinstance(named, str) and named in LEVELS else SERVICE_HOOK
