"""The policy commands, for both command lines: files in, lines and an exit code out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtru_ci.policy import answer, documents, evaluate, explain, export, log, query, trace
from memtru_ci.policy.documents import Unusable
from memtru_ci.policy.query import QueryRejected
from memtru_ci.policy.store import PolicyStore

SAME = 0
DIFFERS = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command prints, the code it leaves with, and what belongs on standard error."""

    lines: list[str]
    code: int = SAME
    notes: tuple[str, ...] = ()


def explain_file(
    events: Path, asked: Mapping[str, object], *, as_json: bool = False, out: Path | None = None
) -> Outcome:
    """Ask a log, a trace or an export; `out` also gets the trace. Raises `Unusable`."""
    store, rejected = _store(events)
    try:
        parsed = query.parse(asked)
    except QueryRejected as bad:
        raise Unusable(f"The query cannot be asked: {bad.reason}.") from None
    given = answer.to_json(store.query(parsed))
    if out is not None:
        documents.write(out, trace.write(store, parsed))
    if as_json:
        return Outcome(json.dumps(given, indent=2).splitlines(), notes=rejected)
    return Outcome(list(explain.lines(given)), notes=rejected)


def replay_file(path: Path) -> Outcome:
    """Check a trace or an export against what follows from it. Raises `Unusable`."""
    document = documents.read(path)
    checks = {trace.FORMAT: trace.verify, export.FORMAT: export.verify}
    check = checks.get(documents.format_of(document))
    if check is None:
        raise Unusable(
            f"{path} is neither a trace nor an export of this version.",
            f"Its format would be {' or '.join(checks)}.",
        )
    return _told(check(document), path, "replays to the same")


def export_file(events: Path, out: Path) -> Outcome:
    """Write the sanitized export of a log, a trace or an export. Raises `Unusable`."""
    store, rejected = _store(events)
    document = export.export(store)
    documents.write(out, document)
    count = len(log.events_of(document))
    return Outcome([f"{out}: {count} events, without what was deleted"], notes=rejected)


def evaluate_file(path: Path, *, verify: bool = False) -> Outcome:
    """Run every case and save it all, or check a saved evaluation. Raises `Unusable`."""
    if not verify:
        made = evaluate.evaluate()
        documents.write(path, made)
        return Outcome(evaluate.table(made))
    document = documents.read(path)
    if documents.format_of(document) != evaluate.FORMAT:
        raise Unusable(f"{path} is no evaluation of this version.")
    told = _told(evaluate.verify(document), path, "is what the cases give now")
    return told if told.code else Outcome([*evaluate.table(document), *told.lines])


def _store(path: Path) -> tuple[PolicyStore, tuple[str, ...]]:
    events: list[Any] = log.events_of(documents.read(path))
    store, rejections = log.read(events)
    return store, tuple(f"rejected: events[{one.index}]: {one.reason}" for one in rejections)


def _told(found: list[str], path: Path, otherwise: str) -> Outcome:
    if found:
        return Outcome([*found, f"{path} differs from what follows from it."], DIFFERS)
    return Outcome([f"{path} {otherwise}."])
