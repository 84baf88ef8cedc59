"""A Mermaid sequence diagram of a timeline, in words of the gate's own."""

from collections.abc import Iterable, Iterator

from memtru_ci.domain.timeline import Action
from memtru_ci.reporters.rows import Row
from memtru_ci.reporters.text import mermaid_safe

_ACTIONS = frozenset(action.value for action in Action)
_KNOWN_SURFACES = frozenset({"search", "list", "profile", "model_prompt"})


def sequence_of(rows: Iterable[Row]) -> str:
    """The diagram. Only the fixed vocabulary gets in: no text of the target, no ids."""
    lines = ["sequenceDiagram", "  participant G as Gate", "  participant S as Memory service"]
    for row in rows:
        lines.extend(f"  {line}" for line in _lines(row))
    return "\n".join(lines)


def _lines(row: Row) -> Iterator[str]:
    action = row.action if row.action in _ACTIONS else "event"
    label = mermaid_safe(f"{row.seq}. {action} (+{row.elapsed_ms} ms)")
    if row.visible is None:
        yield f"G->>S: {label}"
        return
    seen = f"marker visible on {_surfaces(row)}" if row.visible else "marker absent"
    yield f"S-->>G: {label} {seen}"
    if row.decides and row.visible:
        yield "Note over G,S: the deleted marker is back"


def _surfaces(row: Row) -> str:
    known = sorted(set(row.surfaces) & _KNOWN_SURFACES)
    others = len(row.surfaces) - len(known)
    return ", ".join([*known, *([f"{others} further"] if others else [])]) or "a surface"
