"""Writes timelines by hand: events with the exchanges that bear them out.

What a surface shows is written in letters: `m` the marker, `b` the bystander (or whatever is
expected there), both, or neither; `500`, `501`, `?` (no answer), `#` (breaks the contract) and `x`
(lost) are reads that failed. It may depend on the time since the watch began.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.looking import due_offset
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.results import result_of
from memtru_ci.domain.timeline import Action, Event, Look, Manner, Outcome, Phase, Reading, Watch
from memtru_ci.scenarios import PROMISES
from memtru_ci.trial.markers import mint

NAMESPACE = "memtru-here"
CONTROL_NAMESPACE = "memtru-here-control"
WINDOW_MS = 2000
MARKERS = mint(random.Random(7))
RECEIPT = {"executed": True, "detail": "done", "created": [], "processed": 1}
RESTARTED = RestartReceipt(
    provider="container",
    old_started_at="2026-01-01T00:00:00Z",
    new_started_at="2026-01-01T00:00:09Z",
    exit_code=143,
    signal="SIGTERM",
    ready_ms=120.0,
)

Shown = str | Callable[[float], str]
Step = Callable[["Timeline"], None]

_FAILED = {
    "500": (500, Outcome.PROVIDER_ERROR),
    "501": (501, Outcome.NOT_OFFERED),
    "?": (None, Outcome.NO_ANSWER),
    "#": (200, Outcome.CONTRACT_VIOLATION),
    "x": (None, Outcome.TARGET_LOST),
}
_EXPECTED = {
    Action.CONFIRM_INGESTED: MARKERS.unrelated,
    Action.CONFIRM_HOLD: MARKERS.control_update,
}
_PHASES = {
    Action.CONFIRM_RETRIEVABLE: Phase.POSITIVE_CONTROL,
    Action.IMMEDIATE_CHECK: Phase.IMMEDIATE_CHECK,
    Action.DELETE: Phase.DELETE,
    Action.DELETE_THREAD: Phase.DELETE,
}


class Timeline:
    """A record that grows; its clock moves with what is added."""

    def __init__(self, **facts: Any) -> None:
        self.now = 1.0
        self.events: list[Event] = []
        self.evidence: list[Exchange] = []
        self.facts: dict[str, Any] = {"deletion_contract": "memory_record", **facts}

    def exchange(self, operation: str, started_ms: float, took: float, **facts: Any) -> int:
        step = len(self.evidence) + 1
        given = {"method": "POST", "path": f"/{operation}", "namespace": NAMESPACE, "status": 200}
        given |= {"outcome": Outcome.DONE, **facts}
        self.evidence.append(
            Exchange(
                step=step,
                operation=operation,
                started_ms=started_ms,
                ended_ms=started_ms + took,
                **given,
            )
        )
        return step

    def event(self, action: Action, started_ms: float, **facts: Any) -> None:
        phase = _PHASES.get(action, Phase.LIFECYCLE)
        self.events.append(
            Event(
                seq=len(self.events) + 1,
                step=1,
                phase=phase,
                action=action,
                detail=f"{action.value} as told",
                started_ms=started_ms,
                ended_ms=self.now,
                **facts,
            )
        )

    def call(
        self,
        action: Action,
        answer: Any = None,
        *,
        outcome: Outcome = Outcome.DONE,
        status: int | None = 200,
        took: float = 5.0,
        **facts: Any,
    ) -> None:
        """One call and what came of it."""
        started = self.now
        step = self.exchange(
            action.value,
            started,
            took,
            answer=answer,
            status=None if outcome in (Outcome.NO_ANSWER, Outcome.TARGET_LOST) else status,
            outcome=outcome,
        )
        self.now += took + 1
        self.event(action, started, outcome=outcome, evidence_steps=(step,), **facts)

    def hook(self, action: Action, **receipt: Any) -> None:
        """A hook and its receipt."""
        self.call(action, RECEIPT | receipt)

    def restart(self, receipt: RestartReceipt = RESTARTED) -> None:
        """A restart by the gate."""
        started = self.now
        self.now += 400
        self.event(Action.RESTART, started, restart=receipt)

    def watch(
        self,
        action: Action,
        manner: Manner,
        *,
        at: Iterable[float] | None = None,
        window_ms: int = WINDOW_MS,
        took: float = 2.0,
        **shows: Shown,
    ) -> None:
        """Looks at the given moments (by default those of the schedule) after an event."""
        since = self.now
        shown = shows or {"search": "b", "list": "b"}
        looks: list[Look] = []
        for offset in schedule(manner, window_ms) if at is None else at:
            readings = [
                self._reading(
                    action, name, of(offset) if callable(of) else of, since + offset, took
                )
                for name, of in shown.items()
            ]
            looks.append(Look(started_ms=since + offset, readings=tuple(readings)))
            self.now = since + offset + took
        steps = tuple(s for look in looks for one in look.readings for s in one.evidence_steps)
        watch = Watch(manner=manner, window_ms=window_ms, since_ms=since, looks=tuple(looks))
        self.now += 1
        self.event(action, since, evidence_steps=steps, watch=watch)

    def _reading(
        self, action: Action, surface: str, shown: str, started: float, took: float
    ) -> Reading:
        expected = _EXPECTED.get(action, MARKERS.bystander)
        status, outcome = _FAILED.get(shown, (200, Outcome.DONE))
        step = self.exchange(
            "search" if surface == "search" else "inspect_surface",
            started,
            took,
            surface=surface,
            namespace=CONTROL_NAMESPACE if action is Action.CONFIRM_HOLD else NAMESPACE,
            status=status,
            outcome=outcome,
            answer=None if shown in _FAILED else results(shown, expected),
            error="it failed" if shown in _FAILED else "",
        )
        return Reading(
            surface=surface,
            outcome=outcome,
            marker=shown not in _FAILED and "m" in shown,
            bystander=shown not in _FAILED and "b" in shown,
            started_ms=started,
            ended_ms=started + took,
            evidence_steps=(step,),
            detail="it failed" if shown in _FAILED else "",
        )

    @property
    def record(self) -> Record:
        """What there is so far."""
        return Record(
            namespace=NAMESPACE,
            marker=MARKERS.marker,
            bystander=MARKERS.bystander,
            unrelated=MARKERS.unrelated,
            control=MARKERS.control_update,
            events=tuple(self.events),
            evidence=tuple(self.evidence),
            **{"window_ms": WINDOW_MS, **self.facts},
        )


def _at(shown: Shown, offset: float) -> str:
    return shown(offset) if callable(shown) else shown


def results(shown: str, expected: Marker = MARKERS.bystander) -> dict[str, Any]:
    """An answer that shows the marker (`m`), what is expected (`b`), one record with both (`w`)."""
    texts = {"m": MARKERS.marker.content, "b": expected.content}
    texts["w"] = f"{texts['m']} {texts['b']}"
    found = [{"id": f"mem_{one}", "content": texts[one]} for one in shown]
    return {"results": [{"id": "mem_0", "content": "nothing of note"}, *found]}


def schedule(manner: Manner, window_ms: int) -> Sequence[float]:
    """When a watch of this manner looks, where nothing is seen that ends it or lets it go on."""
    if manner in (Manner.CONTROL, Manner.GLANCE):
        return (0.0,)
    inside = [due_offset(number) for number in range(60) if due_offset(number) < window_ms]
    return inside[:6] if manner is Manner.SETTLE else (*inside, window_ms)


def performed(steps: Mapping[str, Step | None], **facts: Any) -> Record:
    """The record of these steps, in order; one that is None is left out."""
    timeline = Timeline(**facts)
    for step in steps.values():
        if step is not None:
            step(timeline)
    return timeline.record


def calls(action: Action, **how: Any) -> Step:
    """A step that is one call."""
    return lambda timeline: timeline.call(action, **how)


def hooks(action: Action, **receipt: Any) -> Step:
    """A step that is one hook."""
    return lambda timeline: timeline.hook(action, **receipt)


def looks(action: Action, manner: Manner = Manner.WATCH, **how: Any) -> Step:
    """A step that is one watch."""
    return lambda timeline: timeline.watch(action, manner, **how)


def restarts(receipt: RestartReceipt = RESTARTED) -> Step:
    """A step that is a restart by the gate."""
    return lambda timeline: timeline.restart(receipt)


_CONTROL = looks(Action.CONFIRM_RETRIEVABLE, Manner.CONTROL, search="mb", list="mb")
_SETTLED = looks(Action.IMMEDIATE_CHECK, Manner.SETTLE)
_WRITTEN = {"id": "mem_m"}

LATE_WRITE: dict[str, Step | None] = {
    "write": calls(Action.WRITE_MEMORY, answer=_WRITTEN, status=201),
    "bystander": calls(Action.WRITE_BYSTANDER, answer={"id": "mem_b"}, status=201),
    "control": _CONTROL,
    "begin": hooks(Action.BEGIN_PENDING_WRITE),
    "delete": calls(Action.DELETE, status=204, record_id="mem_m"),
    "settle": _SETTLED,
    "release": hooks(Action.RELEASE_PENDING_WRITES),
    "after_release": looks(Action.AFTER_RELEASE),
    "restart": restarts(),
    "after_restart": looks(Action.AFTER_RESTART),
    "control_write": calls(Action.CONTROL_WRITE, answer={"id": "mem_c"}, status=201),
    "control_begin": hooks(Action.CONTROL_BEGIN),
    "control_release": hooks(Action.CONTROL_RELEASE),
    "confirm_hold": looks(Action.CONFIRM_HOLD, Manner.CONTROL, search="b"),
}
REINGESTION: dict[str, Step | None] = {
    "tell": hooks(Action.RECORD_CONVERSATION),
    "tell_bystander": hooks(Action.RECORD_BYSTANDER),
    "ingest": hooks(Action.INGEST),
    "control": _CONTROL,
    "find": looks(Action.FIND_DERIVED, Manner.CONTROL, search="m", list="m"),
    "delete": calls(Action.DELETE, status=204, record_id="mem_m"),
    "settle": _SETTLED,
    "session": hooks(Action.START_SESSION),
    "after_session": looks(Action.AFTER_SESSION),
    "unrelated": hooks(Action.RECORD_UNRELATED),
    "consolidate": hooks(Action.CONSOLIDATE),
    "confirm": looks(Action.CONFIRM_INGESTED, Manner.CONTROL, search="b"),
    "after_ingestion": looks(Action.AFTER_INGESTION),
    "restart": restarts(),
    "after_restart": looks(Action.AFTER_RESTART),
}
DELETE_EFFECTIVE: dict[str, Step | None] = {
    "write": calls(Action.WRITE_MEMORY, answer=_WRITTEN, status=201),
    "bystander": calls(Action.WRITE_BYSTANDER, answer={"id": "mem_b"}, status=201),
    "control": _CONTROL,
    "delete": calls(Action.DELETE, status=204, record_id="mem_m"),
    "watch": looks(Action.AFTER_DELETE, Manner.WATCH_WHOLE),
}
STEPS = {"MT-AF-001": LATE_WRITE, "MT-AF-002": REINGESTION, "MT-DEL-003": DELETE_EFFECTIVE}


def until(steps: Mapping[str, Step | None], last: str) -> dict[str, Step | None]:
    """The steps up to and with the last."""
    names = list(steps)
    return {name: steps[name] for name in names[: names.index(last) + 1]}


def late_write(upto: str = "confirm_hold", /, **changes: Step | None) -> Record:
    """MT-AF-001, passing but for the changes."""
    return performed(until({**LATE_WRITE, **changes}, upto))


def reingestion(upto: str = "after_restart", /, **changes: Step | None) -> Record:
    """MT-AF-002, passing but for the changes."""
    return performed(until({**REINGESTION, **changes}, upto))


def delete_effective(upto: str = "watch", /, **changes: Step | None) -> Record:
    """MT-DEL-003, passing but for the changes."""
    return performed(until({**DELETE_EFFECTIVE, **changes}, upto))


def result(scenario: str, record: Record) -> ScenarioResult:
    """The record's result by its evidence."""
    return result_of(promise(scenario), record)


def promise(scenario: str) -> Promise:
    """The promise of a scenario."""
    return PROMISES[scenario]
