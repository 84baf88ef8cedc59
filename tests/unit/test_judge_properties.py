"""What holds for every record, however odd: the judge is total, and a PASS is earned."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtru_ci.domain.derive import derived
from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.judge import judge
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.timeline import Action, Event, Look, Manner, Outcome, Phase, Reading, Watch
from memtru_ci.domain.verdict import Verdict
from tests.timelines import MARKERS, NAMESPACE, STEPS, performed, promise, result, results
from tests.unit.judged_cases import CASES, Judged

SCENARIOS = tuple(STEPS)
PASSING = {name: performed(steps) for name, steps in STEPS.items()}
NEEDED = {
    "MT-AF-001": (
        {Action.CONFIRM_RETRIEVABLE},
        {Action.DELETE, Action.DELETE_THREAD},
        {Action.IMMEDIATE_CHECK},
        {Action.BEGIN_PENDING_WRITE},
        {Action.RELEASE_PENDING_WRITES},
        {Action.AFTER_RELEASE, Action.AFTER_RESTART},
        {Action.CONFIRM_HOLD},
    ),
    "MT-AF-002": (
        {Action.CONFIRM_RETRIEVABLE},
        {Action.DELETE, Action.DELETE_THREAD},
        {Action.IMMEDIATE_CHECK},
        {Action.INGEST},
        {Action.START_SESSION, Action.CONSOLIDATE},
        {Action.CONFIRM_INGESTED},
    ),
    "MT-DEL-003": (
        {Action.CONFIRM_RETRIEVABLE},
        {Action.DELETE, Action.DELETE_THREAD},
        {Action.AFTER_DELETE},
    ),
}
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

_times = st.one_of(st.integers(0, 9000).map(float), st.sampled_from([-1.0, 0.0, 1e308, -1e308]))
_steps = st.lists(st.integers(1, 9), max_size=4).map(tuple)
_surfaces = st.sampled_from(["search", "list", "profile"])


def _reading(**facts: Any) -> st.SearchStrategy[Reading]:
    return st.builds(
        Reading,
        surface=_surfaces,
        outcome=st.sampled_from(Outcome),
        marker=st.booleans(),
        bystander=st.booleans(),
        started_ms=_times,
        ended_ms=_times,
        evidence_steps=_steps,
        detail=st.just(""),
        **facts,
    )


_watches = st.builds(
    Watch,
    manner=st.sampled_from(Manner),
    window_ms=st.sampled_from([0, 500, 2000, -5]),
    since_ms=_times,
    looks=st.lists(
        st.builds(Look, started_ms=_times, readings=st.lists(_reading(), max_size=3).map(tuple)),
        max_size=4,
    ).map(tuple),
)
_receipts = st.builds(
    HookReceipt,
    executed=st.booleans(),
    detail=st.just(""),
    created=st.just(()),
    processed=st.one_of(st.none(), st.integers(0, 2)),
)
_events = st.builds(
    Event,
    seq=st.integers(1, 12),
    step=st.integers(0, 3),
    phase=st.sampled_from(Phase),
    action=st.sampled_from(Action),
    detail=st.just("x"),
    started_ms=_times,
    ended_ms=_times,
    outcome=st.sampled_from(Outcome),
    evidence_steps=_steps,
    receipt=st.one_of(st.none(), _receipts),
    restart=st.none(),
    watch=st.one_of(st.none(), _watches),
)
_answers = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.sampled_from([results("mb"), results("b"), results(""), {"results": [1, {"content": 2}]}]),
    st.sampled_from([{"executed": True}, {"executed": True, "processed": 1}, {"executed": "yes"}]),
)
_exchanges = st.builds(
    Exchange,
    step=st.integers(1, 9),
    operation=st.sampled_from(["search", "list", "delete", "capabilities"]),
    surface=st.one_of(st.none(), _surfaces),
    namespace=st.sampled_from([NAMESPACE, "elsewhere"]),
    method=st.just("POST"),
    path=st.just("/x"),
    status=st.one_of(st.none(), st.sampled_from([200, 204, 404, 500])),
    answer=_answers,
    reduced=st.booleans(),
    outcome=st.sampled_from(Outcome),
    started_ms=_times,
    ended_ms=_times,
)
_records = st.builds(
    Record,
    namespace=st.just(NAMESPACE),
    marker=st.just(MARKERS.marker),
    bystander=st.just(MARKERS.bystander),
    unrelated=st.one_of(st.none(), st.just(MARKERS.unrelated)),
    control=st.one_of(st.none(), st.just(MARKERS.control_update)),
    window_ms=st.sampled_from([0, 500, 2000]),
    consistency_window_ms=st.sampled_from([0, 1000]),
    deletion_contract=st.sampled_from([None, "memory_record", "thread_checkpoint"]),
    missing=st.sampled_from([(), ("MEMORY_WRITE",)]),
    stopped=st.sampled_from(["", "over"]),
    events=st.lists(_events, max_size=6).map(tuple),
    evidence=st.lists(_exchanges, max_size=8).map(tuple),
)
_scenarios = st.sampled_from(SCENARIOS)


@st.composite
def _mutilated(draw: st.DrawFn) -> tuple[str, Record]:
    """A passing record out of which events were taken, with or without their evidence."""
    scenario = draw(_scenarios)
    record = PASSING[scenario]
    numbers = st.sets(st.integers(0, len(record.events) - 1), max_size=3)
    taken = [record.events[number] for number in draw(numbers)]
    steps = {step for one in taken for step in one.evidence_steps} if draw(st.booleans()) else ()
    return scenario, record.model_copy(
        update={
            "events": tuple(one for one in record.events if one not in taken),
            "evidence": tuple(one for one in record.evidence if one.step not in steps),
        }
    )


@FEW
@given(_scenarios, _records)
def test_the_judge_is_total(scenario: str, record: Record) -> None:
    told = result(scenario, record)

    assert told.verdict in Verdict
    assert told.reason
    assert judge(promise(scenario), record).verdict in Verdict
    assert ScenarioResult.model_validate_json(told.model_dump_json()).verdict is told.verdict


@FEW
@given(_scenarios, _records)
def test_an_odd_record_never_passes(scenario: str, record: Record) -> None:
    assert result(scenario, record).verdict is not Verdict.PASS


@FEW
@given(_scenarios, _records)
def test_deriving_twice_is_deriving_once(scenario: str, record: Record) -> None:
    once = derived(record)

    assert derived(once) == once


@FEW
@given(_mutilated())
def test_a_pass_holds_its_whole_chain(mutilated: tuple[str, Record]) -> None:
    scenario, record = mutilated
    told = result(scenario, record)

    if told.verdict is Verdict.PASS:
        actions = {one.action for one in record.events}
        assert all(needed & actions for needed in NEEDED[scenario])
        watched = [one for one in told.windows if one.manner.startswith("watch")]
        assert all(one.closing_ms is not None and one.counted >= 8 for one in watched)


@FEW
@given(st.sampled_from(CASES), st.data())
def test_no_stored_flag_changes_a_verdict(case: Judged, data: st.DataObject) -> None:
    flags = st.tuples(st.booleans(), st.booleans())

    def lied(reading: Reading) -> Reading:
        marker, bystander = data.draw(flags)
        return reading.model_copy(update={"marker": marker, "bystander": bystander})

    def lied_about(event: Event) -> Event:
        if event.watch is None:
            return event
        looks = tuple(
            look.model_copy(update={"readings": tuple(lied(one) for one in look.readings)})
            for look in event.watch.looks
        )
        return event.model_copy(update={"watch": event.watch.model_copy(update={"looks": looks})})

    record = case.record.model_copy(
        update={"events": tuple(lied_about(one) for one in case.record.events)}
    )
    told = result(case.scenario, record)

    assert (told.verdict, told.cause, told.trigger) == case.expected


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_single_event_can_be_taken_out_of_a_pass(scenario: str) -> None:
    record = PASSING[scenario]
    for taken in record.events:
        events = tuple(one for one in record.events if one is not taken)
        kept = tuple(one for one in record.evidence if one.step not in taken.evidence_steps)
        for evidence in (record.evidence, kept):
            left = record.model_copy(update={"events": events, "evidence": evidence})
            assert result(scenario, left).verdict is not Verdict.PASS, taken.action


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_exchange_can_be_taken_out_of_a_pass(scenario: str) -> None:
    record = PASSING[scenario]
    for number in range(len(record.evidence)):
        left = record.evidence[:number] + record.evidence[number + 1 :]
        told = result(scenario, record.model_copy(update={"evidence": left}))
        assert told.verdict is not Verdict.PASS, record.evidence[number].operation


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_sighting_after_the_proven_absence_is_a_fail_whatever_else_happened(
    scenario: str,
) -> None:
    record = PASSING[scenario]
    late = record.evidence[-1].ended_ms + 1
    seen = record.evidence[-1].model_copy(
        update={
            "step": len(record.evidence) + 1,
            "namespace": NAMESPACE,
            "surface": "search",
            "answer": results("m"),
            "started_ms": late,
            "ended_ms": late + 1,
        }
    )
    facts = {"stopped": "its time was over", "missing": ("MEMORY_WRITE",)}
    for update in ({}, facts):
        told = result(
            scenario, record.model_copy(update={"evidence": (*record.evidence, seen), **update})
        )
        assert told.verdict is Verdict.FAIL
        assert told.cause is promise(scenario).finding
