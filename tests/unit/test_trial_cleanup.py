"""What a trial leaves behind: nothing, or what it says."""

from collections import deque

import pytest

from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind
from memtru_ci.domain.report import CleanupFacts
from memtru_ci.domain.timeline import Event
from memtru_ci.trial.tracked import MOST_RECORDS, Tracked
from tests.fakes import HANGS, NO_ANSWER, FakeTarget, FakeWorld, Fault, RecordingProgress
from tests.performing import (
    AGAIN,
    DELETED,
    LATE,
    Performance,
    actions,
    perform,
    perform_cancelled,
    world,
)

NAMESPACES = "NAMESPACE_DELETE"
ALL_EVENTS = {
    LATE: actions(perform(world(), LATE).result),
    AGAIN: actions(perform(world(), AGAIN).result),
    DELETED: actions(perform(world(), DELETED).result),
}
EVERY_MOMENT = [
    (scenario, number) for scenario, all_of in ALL_EVENTS.items() for number in range(len(all_of))
]


def left(made: FakeWorld) -> list[str]:
    """The contents that are still there."""
    return [one.content for kept in made.memories.values() for one in kept.values()]


@pytest.mark.parametrize("scenario", [LATE, AGAIN, DELETED])
def test_everything_is_deleted_where_namespaces_can_be(scenario: str) -> None:
    made = world()
    result = perform(made, scenario).result

    assert result.cleanup.left == []
    assert left(made) == []


def test_what_was_written_is_deleted_in_reverse_order() -> None:
    made = world(NAMESPACES)
    result = perform(made, LATE).result
    written = [one for one in made.sent if one.operation == "write"]
    deleted = [one.body["id"] for one in made.sent if one.operation == "delete"]
    made_ids = [f"mem_{number}" for number in range(1, len(written) + 1)]

    assert left(made) == []
    assert deleted[0] == made_ids[0]
    assert len(deleted) == 4
    assert result.cleanup.deleted == [
        f"{one.namespace}/memory {name}"
        for one, name in reversed(list(zip(written, deleted[:0:-1], strict=True)))
    ]


def test_what_a_receipt_named_is_deleted_too() -> None:
    made = world(NAMESPACES)
    made.after["begin_pending_write"] = lambda namespace: made.put(namespace, "side", "mem_x")
    made.receipts["begin_pending_write"] = {"created": [{"kind": "memory", "id": "mem_x"}]}
    result = perform(made, LATE).result

    assert result.verdict == "PASS", result.reason
    assert any(one.endswith("memory mem_x") for one in result.cleanup.deleted)


def test_what_can_not_be_deleted_is_reported() -> None:
    made = world(NAMESPACES, "THREAD_DELETE")
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    threads = {"memtru-marker", "memtru-bystander", "memtru-unrelated"}
    assert len(result.cleanup.left) == len(threads)
    assert all(any(one in line for one in threads) for line in result.cleanup.left)
    assert all("THREAD_DELETE or NAMESPACE_DELETE" in line for line in result.cleanup.left)


def test_a_delete_that_fails_in_cleanup_is_reported_and_the_rest_goes_on() -> None:
    made = world(NAMESPACES)
    made.faults["delete"] = deque([None, Fault(status=500)])
    result = perform(made, DELETED).result

    assert result.verdict == "PASS", result.reason
    assert len(result.cleanup.left) == 1
    assert "500" in result.cleanup.left[0]
    assert len(result.cleanup.deleted) == 1


def test_a_write_without_an_answer_is_reported_as_possibly_there() -> None:
    made = world(NAMESPACES)
    made.faults["write"] = deque([Fault("no_answer", after_effect=True)])
    cleanup = perform(made, LATE).result.cleanup

    assert len(cleanup.left) == 1
    assert "never answered" in cleanup.left[0]


def test_a_write_without_an_answer_goes_with_its_namespace() -> None:
    made = world()
    made.faults["write"] = deque([Fault("no_answer", after_effect=True)])
    cleanup = perform(made, LATE).result.cleanup

    assert cleanup.left == []
    assert left(made) == []


def test_a_conversation_without_an_answer_is_cleaned_up() -> None:
    made = world(NAMESPACES)
    made.faults["record_conversation"] = deque([NO_ANSWER])
    perform(made, AGAIN)

    assert made.sends("delete_thread") == 1


def test_nothing_is_left_of_a_trial_that_did_not_begin() -> None:
    assert perform(world("MEMORY_SEARCH"), LATE).result.cleanup == CleanupFacts()


# --- runs that are cancelled ----------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "number"), EVERY_MOMENT)
def test_a_run_that_is_cancelled_after_any_event_never_passes(scenario: str, number: int) -> None:
    made = world()
    last = number + 1 == len(ALL_EVENTS[scenario])
    performance = perform_cancelled(made, scenario, lambda event: event.seq == number + 1)
    result = performance.result

    assert result.record is not None
    assert actions(result)[: number + 1] == ALL_EVENTS[scenario][: number + 1]
    if not last:
        assert performance.was_cancelled
        assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
        assert result.record.stopped
    assert not any(made.held.values())
    assert left(made) == []
    assert result.cleanup.left == []


@pytest.mark.parametrize(
    "operation",
    [
        "capabilities",
        "write",
        "retrieval_surfaces",
        "begin_pending_write",
        "delete",
        "search",
    ],
)
def test_a_run_that_is_cancelled_in_the_middle_of_a_call_never_passes(operation: str) -> None:
    made = world()
    made.faults[operation] = deque([HANGS])
    performance = Performance(FakeTarget([made]), LATE)
    waiting = made.clock.sleep

    async def then_cancel(seconds: float) -> None:
        await waiting(seconds)
        if not made.faults[operation] or (made.sent and made.sent[-1].operation == operation):
            performance.cancel()

    made.clock.sleep = then_cancel
    performance.go()

    assert performance.was_cancelled
    assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
    assert not any(made.held.values())


@pytest.mark.parametrize("nth", [1, 2], ids=["of the trial", "of the hold control"])
def test_a_release_that_was_begun_is_finished_where_the_run_is_cancelled(nth: int) -> None:
    made = world()
    performance = Performance(FakeTarget([made]), LATE)
    waiting = made.clock.sleep

    async def then_cancel(seconds: float) -> None:
        if made.sends("release_pending_writes") == nth and made.sent[-1].body == {}:
            performance.cancel()
        await waiting(seconds)

    made.clock.sleep = then_cancel
    performance.go()
    namespaces = [one.namespace for one in made.sent if one.operation == "release_pending_writes"]

    assert performance.was_cancelled
    assert len(namespaces) == len(set(namespaces)) == nth
    assert not any(made.held.values())


def test_a_reappearance_that_was_seen_before_the_run_was_cancelled_stays_a_fail() -> None:
    made = world(honours_tombstones=False)
    performance = perform_cancelled(made, LATE, lambda event: event.action.value == "after_release")

    expected = ("FAIL", "late_write_resurrected", "release_pending_writes")
    assert performance.verdict == expected


def test_a_reappearance_in_a_watch_that_was_cut_short_stays_a_fail() -> None:
    made = world()

    def again(namespace: str) -> None:
        content = next(one.body["content"] for one in made.sent if one.operation == "write")
        made.put(namespace, content, seen_from_ms=made.clock.now_ms + 700)

    made.after["delete"] = again
    progress = RecordingProgress()
    performance = Performance(FakeTarget([made]), DELETED, progress=progress)

    def tell(scenario: str, action: str, left_s: float) -> None:
        if action == "after_delete" and left_s < 0.7:
            performance.cancel()

    progress.window_open = tell
    performance.go()

    assert performance.was_cancelled
    assert performance.verdict == ("FAIL", "delete_not_effective", "delete")


@pytest.mark.parametrize("action", ["after_release", "confirm_retrievable", "immediate_check"])
def test_a_watch_that_is_cut_short_is_on_record(action: str) -> None:
    progress = RecordingProgress()
    performance = Performance(FakeTarget([world(latency_s=0.3)]), LATE, progress=progress)
    heard: list[str] = []

    def tell(scenario: str, name: str, left_s: float) -> None:
        heard.append(name)
        if heard.count(action) == 2 or (name == action == "confirm_retrievable"):
            performance.cancel()

    progress.window_open = tell
    performance.go()

    assert performance.verdict == ("INCONCLUSIVE", "evidence_incomplete", None)
    if action != "confirm_retrievable":
        assert action in actions(performance.result)


def test_cleanup_has_a_deadline_where_the_service_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memtru_ci.run.CLEANUP_DEADLINE_S", 0.01)
    made = world()
    made.after["control_release"] = lambda _: None

    def hang(event: Event) -> bool:
        if event.action.value == "delete":
            made.always["delete"] = made.always["delete_namespace"] = HANGS
            return True
        return False

    result = perform_cancelled(made, LATE, hang).result

    assert any("cleanup was not done" in one for one in result.cleanup.left)


def test_of_a_flood_of_created_records_no_more_is_kept_than_can_be_deleted() -> None:
    flood = tuple(
        CreatedRecord(kind=RecordKind.MEMORY, id=f"m{one}") for one in range(MOST_RECORDS + 7)
    )
    tracked = Tracked()
    kept = tracked.take("ns", HookReceipt(executed=True, created=flood, processed=1))
    assert kept.created == flood[:MOST_RECORDS]
    assert (kept.executed, kept.processed) == (True, 1)
    assert len(tracked.records) == MOST_RECORDS
    assert tracked.untold == {"ns": 7}
