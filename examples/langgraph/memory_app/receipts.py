"""Hook receipts: what a lifecycle event really did, in the contract's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Record(NamedTuple):
    """Something an event made: a `memory`, `thread` or `pending_write`."""

    kind: str
    id: str


def receipt(
    detail: str, created: Sequence[Record] = (), processed: int = 0, *, executed: bool = True
) -> dict[str, Any]:
    """A HookReceipt; `processed` counts the writes, messages or records dealt with."""
    return {
        "executed": executed,
        "detail": detail,
        "created": [record._asdict() for record in created],
        "processed": processed,
    }
