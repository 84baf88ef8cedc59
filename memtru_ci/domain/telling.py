"""What a report tells of a record: the afterlife object, windows, surfaces and the hold."""

import shlex
from collections.abc import Iterable, Sequence

from memtru_ci.domain.case import DELETES, TRIGGERS, Case, Judgement
from memtru_ci.domain.folding import briefly
from memtru_ci.domain.holding import LEVELS, SERVICE_HOOK, UNSEEN
from memtru_ci.domain.looking import SEARCH, Coverage, coverage_of, visible_on
from memtru_ci.domain.report import (
    Afterlife,
    AfterlifeEvent,
    HoldFacts,
    Report,
    SurfaceFacts,
    WindowFacts,
)
from memtru_ci.domain.timeline import CONTROLS, Action, Event, Manner, Outcome
from memtru_ci.domain.verdict import Verdict

_UNTOLD = {
    *(Action.CONFIRM_INGESTED, Action.FIND_DERIVED, Action.NOTE_MODEL_PROMPT),
    *CONTROLS,
}


def afterlife_of(case: Case, judgement: Judgement) -> Afterlife:
    """The `afterlife` object of the reference, key by key."""
    resurrected = judgement.verdict is Verdict.FAIL
    return Afterlife(
        deletion_contract=case.record.deletion_contract or "memory_record",
        hooks_executed=_hooks_executed(case),
        surfaces_checked=_surfaces(case),
        events=[told(event) for event in case.events],
        resurrected=resurrected,
        first_resurrection_event=judgement.deciding_event if resurrected else None,
        resurrection_trigger=judgement.trigger if resurrected else None,
        reproduce=[f"memtru-ci test --scenario {case.promise.id}", "memtru-ci demo --afterlife"],
    )


def _hooks_executed(case: Case) -> list[str]:
    ran = [
        event.action.value
        for event in case.events
        if event.action in TRIGGERS and event.outcome is Outcome.DONE and _reports_success(event)
    ]
    return list(dict.fromkeys(ran))


def _reports_success(event: Event) -> bool:
    return event.receipt.executed if event.receipt else event.restart is not None


def _surfaces(case: Case) -> list[str]:
    named = (
        one.surface
        for event in case.events
        if event.watch and event.action not in _UNTOLD
        for look in event.watch.looks
        for one in look.readings
    )
    return list(dict.fromkeys(named))


def told(event: Event) -> AfterlifeEvent:
    """An event as a line of the timeline; visibility only where the deleted marker was looked for.

    Where looks go on until something holds, it is what the last of them showed.
    """
    seen: list[str] | None = None
    if event.watch and event.action not in _UNTOLD:
        ends_with_last = event.watch.manner in (Manner.CONTROL, Manner.SETTLE)
        looks = event.watch.looks[-1:] if ends_with_last else event.watch.looks
        seen = list(dict.fromkeys(surface for look in looks for surface in visible_on(look)))
    return AfterlifeEvent(
        seq=event.seq,
        phase=event.phase,
        action=event.action,
        detail=event.detail,
        marker_visible=None if seen is None else bool(seen),
        surfaces=seen,
        elapsed_ms=round(event.ended_ms),
        evidence_step=event.evidence_steps[0] if event.evidence_steps else None,
    )


def surfaces_of(case: Case) -> list[SurfaceFacts]:
    """Which surfaces can prove an absence, and which showed the marker after it was proven."""
    proven_ms = case.absence[1] if case.absence else float("inf")
    earliest = max(proven_ms, case.conclusive_from_ms)
    looks = [
        look
        for event in case.events
        if event.watch and event.action not in _UNTOLD
        for look in event.watch.looks
    ]
    return [
        SurfaceFacts(
            name=name,
            proven=name in case.controls.proven,
            marker_seen_after=any(
                one.surface == name and one.marker and one.started_ms >= earliest
                for look in looks
                for one in look.readings
            ),
        )
        for name in _surfaces(case)
    ]


def windows_of(case: Case) -> list[WindowFacts]:
    """How well each watch covered its window, by its worst surface that can prove absence."""
    told = []
    for event in case.events:
        watch = event.watch
        if watch is None or event.action in _UNTOLD:
            continue
        surfaces = sorted(case.controls.proven | {SEARCH})
        coverages = [coverage_of(watch, case.controls, one) for one in surfaces]
        worst = min(coverages, key=_worth)
        gaps = [one.largest_gap_ms for one in coverages if one.largest_gap_ms is not None]
        told.append(
            WindowFacts(
                seq=event.seq,
                action=event.action,
                manner=watch.manner,
                window_ms=watch.window_ms,
                looks=len(watch.looks),
                counted=worst.counted,
                largest_gap_ms=round(max(gaps), 3) if gaps else None,
                closing_ms=None if worst.closing_ms is None else round(worst.closing_ms, 3),
            )
        )
    return told


def _worth(coverage: Coverage) -> tuple[int, float]:
    """How much a coverage is worth; by its numbers alone, as redaction may change names."""
    closing_ms = coverage.closing_ms
    return coverage.counted, -1.0 if closing_ms is None else closing_ms


def hold_of(case: Case) -> HoldFacts | None:
    """The order of the held write, where one was held."""
    begun = case.record.of(Action.BEGIN_PENDING_WRITE)
    if not begun:
        return None
    released = case.record.of(Action.RELEASE_PENDING_WRITES)
    deletes = case.record.of(*DELETES)
    control = case.record.of(Action.CONFIRM_HOLD)
    done = case.record.of(Action.HELD_WRITE_DONE)
    mechanism = case.mechanism or SERVICE_HOOK
    is_seen = mechanism not in UNSEEN
    return HoldFacts(
        level=LEVELS[mechanism],
        mechanism=mechanism,
        sent=done[0].started_ms if done else begun[0].started_ms,
        seen_at_hold=begun[0].ended_ms if is_seen else None,
        delete_sent=deletes[0].started_ms if deletes else None,
        delete_acknowledged=case.delete.ended_ms if case.delete else None,
        absence_proven=case.absence[1] if case.absence else None,
        released=released[0].started_ms if released else None,
        write_done=last.ended_ms if (last := (done or released or (None,))[0]) else None,
        outcome=_outcome(case, done, released),
        control_delivered=_shows_expected(control[0]) if control else None,
    )


def _outcome(case: Case, done: Sequence[Event], released: Sequence[Event]) -> str:
    """How the write ended: its own answer where the gate sent it, else what the release said."""
    if not done:
        receipt = released[0].receipt if released else None
        return receipt.detail if receipt else ""
    kept = [one for one in case.record.evidence if one.step in done[0].evidence_steps]
    if not kept:
        return "no answer"
    last = kept[-1]
    return str(last.status) if last.status is not None else last.error or "done"


def _shows_expected(event: Event) -> bool:
    looks = event.watch.looks if event.watch else ()
    return any(one.bystander for look in looks for one in look.readings)


def command_again(report: Report, scenarios: Iterable[str]) -> str:
    """The command that performs these scenarios again, with the run's own settings and seed."""
    chosen = briefly(scenarios, report.results)
    words = [word for one in chosen for word in ("--scenario", one)]
    return shlex.join([*report.settings.command, *words, "--seed", str(report.settings.seed)])
