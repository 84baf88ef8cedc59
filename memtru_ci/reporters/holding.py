"""How a held write was held, as one sentence."""

from memtru_ci.domain.holding import LEVELS
from memtru_ci.domain.report import HoldFacts

MECHANISMS = {
    "service_hook": "by the service's own hook, at its word",
    "model_stand_in": "inside the service, while it waited for the model",
    "store_proxy": "on its way to the store",
    "worker_pause": "in the queue of a paused worker",
    "withheld_body": "on the wire, its request not whole",
}
assert MECHANISMS.keys() == LEVELS.keys()

_MOMENTS = (
    ("sent", "sent"),
    ("seen_at_hold", "seen at the hold"),
    ("delete_sent", "delete sent"),
    ("delete_acknowledged", "delete acknowledged"),
    ("absence_proven", "absence proven"),
    ("released", "released"),
    ("write_done", "write done"),
)


def told_hold(hold: HoldFacts) -> str:
    """By what and at which level it was held, and in which order things happened, in ms."""
    values = ((name, getattr(hold, key)) for key, name in _MOMENTS)
    order = ", ".join(f"{name} {value:.0f}" for name, value in values if value is not None)
    where = MECHANISMS.get(hold.mechanism, hold.mechanism)
    ended = f"; it ended with {hold.outcome}" if hold.outcome else ""
    return f"Held {where} (level {hold.level}). In ms: {order}{ended}."
