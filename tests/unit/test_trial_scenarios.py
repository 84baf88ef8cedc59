"""Scenarios on a service in memory: what is done, in which order, and what comes of it."""

import pytest

from memtru_ci.domain.looking import due_offset
from memtru_ci.domain.timeline import Action, Manner
from tests.fakes import FakeTarget, FakeWorld
from tests.performing import (
    AGAIN,
    DELETED,
    LATE,
    WINDOW_MS,
    actions,
    event,
    perform,
    world,
)

NEITHER = ("LIFECYCLE_NEW_SESSION", "LIFECYCLE_CONSOLIDATE")


@pytest.mark.parametrize("scenario", [LATE, AGAIN, DELETED])
def test_a_correct_service_passes(scenario: str) -> None:
    result = perform(world(), scenario).result

    assert (result.verdict, result.cause) == ("PASS", None), result.reason
    assert {one.name for one in result.surfaces} == {"search", "list", "profile"}
    assert all(one.proven for one in result.surfaces)
    assert result.cleanup.left == []


def test_the_steps_of_a_late_write() -> None:
    performance = perform(world(), LATE)

    assert actions(performance.result) == [
        "write_memory",
        "write_bystander",
        "discover_surfaces",
        "confirm_retrievable",
        "begin_pending_write",
        "delete",
        "immediate_check",
        "release_pending_writes",
        "after_release",
        "restart",
        "after_restart",
        "control_write",
        "control_begin_pending_write",
        "control_release_pending_writes",
        "confirm_hold",
    ]
    assert performance.target.started_instances[0].restarts == 1


def test_the_steps_of_a_reingestion() -> None:
    assert actions(perform(world(), AGAIN).result) == [
        "record_conversation",
        "record_bystander",
        "ingest",
        "discover_surfaces",
        "confirm_retrievable",
        "find_derived",
        "delete",
        "immediate_check",
        "start_session",
        "after_session",
        "record_unrelated",
        "consolidate",
        "confirm_ingested",
        "after_ingestion",
        "restart",
        "after_restart",
    ]


def test_only_an_update_of_the_deleted_memory_is_held_with_the_marker_whole() -> None:
    made = world()
    record = perform(made, LATE).result.record
    assert record is not None
    held = next(one for one in made.sent if one.operation == "begin_pending_write")

    assert held.body["target_id"] == event(perform(world(), LATE).result, Action.DELETE).record_id
    assert held.body["thread_id"] == "memtru-marker"
    assert record.marker.shown_in([held.body["content"]])
    assert record.marker.topic in held.body["content"]
    assert held.body["content"] != record.marker.content


@pytest.mark.parametrize("scenario", [LATE, AGAIN, DELETED])
def test_the_secret_is_never_sent_again_and_never_asked_for(scenario: str) -> None:
    made = world()
    record = perform(made, scenario).result.record
    assert record is not None
    told = [one for one in made.sent if record.marker.shown_in([str(one.body)])]
    deleted = next(number for number, one in enumerate(made.sent) if one.operation == "delete")

    assert all(made.sent.index(one) < deleted for one in told)
    queries = {one.body["query"] for one in made.sent if "query" in one.body}
    assert not any(record.marker.shown_in([query]) for query in queries)


def test_the_query_of_every_surface_is_the_same_in_every_look() -> None:
    made = world()
    namespace = perform(made, LATE).result.record.namespace
    asked = {
        one.body["query"]
        for one in made.sent
        if one.operation in ("search", "inspect_surface") and one.namespace == namespace
    }

    assert len(asked) == 1


@pytest.mark.parametrize(
    ("defect", "expected"),
    [
        ("release", ("FAIL", "late_write_resurrected", "release_pending_writes")),
        ("restart", ("FAIL", "late_write_resurrected", "restart")),
    ],
)
def test_a_late_write_that_lands_is_a_fail(defect: str, expected: object) -> None:
    made = world()
    if defect == "release":
        made.honours_tombstones = False
    else:
        made.after["instance.restart"] = lambda _: _bring_back(made)

    assert perform(made, LATE).verdict == expected


def _bring_back(made: FakeWorld) -> None:
    """What was written first is there again."""
    first = next(one for one in made.sent if one.operation in ("write", "record_conversation"))
    said = first.body.get("content") or first.body["messages"][0]
    made.put(first.namespace, said)


@pytest.mark.parametrize(
    ("operation", "trigger"),
    [("start_session", "start_session"), ("consolidate", "consolidate"), ("restart", "restart")],
)
def test_history_that_is_ingested_again_is_a_fail(operation: str, trigger: str) -> None:
    made = world()

    def again(_: str) -> None:
        if made.sends("delete"):
            _bring_back(made)

    made.after["instance.restart" if operation == "restart" else operation] = again

    expected = ("FAIL", "history_reingestion_resurrected", trigger)
    assert perform(made, AGAIN).verdict == expected


def test_a_marker_that_comes_back_late_in_the_window_is_a_fail() -> None:
    made = world()

    def late(namespace: str) -> None:
        content = next(one.body["content"] for one in made.sent if one.operation == "write")
        made.put(namespace, content, seen_from_ms=made.clock.now_ms + 1990)

    made.after["release_pending_writes"] = late

    assert perform(made, LATE).verdict[0] == "FAIL"


def test_a_marker_that_comes_back_after_the_window_is_not_seen() -> None:
    made = world("LIFECYCLE_RESTART", "LIFECYCLE_SURFACES")
    target = FakeTarget([made], can_restart=False)

    def late(namespace: str) -> None:
        if not namespace.endswith("-control"):
            content = next(one.body["content"] for one in made.sent if one.operation == "write")
            made.put(namespace, content, seen_from_ms=made.clock.now_ms + WINDOW_MS + 500)

    made.after["release_pending_writes"] = late

    assert perform(target, LATE).verdict[0] == "PASS"


def test_a_delete_that_is_ignored_is_not_resurrection() -> None:
    made = world()
    made.after["delete"] = lambda _: _bring_back(made)

    assert perform(made, LATE).verdict == ("INCONCLUSIVE", "visible_after_delete", None)
    assert perform(_ignoring(), DELETED).verdict == ("FAIL", "delete_not_effective", "delete")


def _ignoring() -> FakeWorld:
    made = world()
    made.after["delete"] = lambda _: _bring_back(made)
    return made


def test_a_delete_that_takes_its_promised_time_passes() -> None:
    for scenario in (LATE, DELETED):
        made = world(consistency_window_ms=3000)

        def linger(namespace: str, made: FakeWorld = made) -> None:
            content = next(one.body["content"] for one in made.sent if one.operation == "write")
            made.put(namespace, content, seen_until_ms=made.clock.now_ms + 2900)

        made.after["delete"] = linger
        result = perform(made, scenario).result

        assert result.verdict == "PASS", result.reason
        assert result.record is not None
        assert result.record.window_ms == 3000


def test_a_flicker_inside_the_promised_time_is_no_reappearance() -> None:
    made = world(consistency_window_ms=3000)

    def flicker(namespace: str) -> None:
        content = next(one.body["content"] for one in made.sent if one.operation == "write")
        now = made.clock.now_ms
        made.put(namespace, content, seen_from_ms=now + 600, seen_until_ms=now + 2500)

    made.after["delete"] = flicker

    assert perform(made, LATE).verdict == ("PASS", None, None)


def test_a_delete_that_takes_everything_proves_nothing() -> None:
    made = world()
    made.after["delete"] = lambda namespace: made.memories.pop(namespace, None)

    for scenario in (LATE, AGAIN, DELETED):
        assert perform(made, scenario).verdict == ("INCONCLUSIVE", "bystander_lost", None)


def test_a_marker_that_never_shows_proves_nothing() -> None:
    made = world()
    made.after["write"] = lambda namespace: made.memories.pop(namespace, None)

    performance = perform(made, LATE)

    assert performance.verdict == ("INCONCLUSIVE", "positive_control_failed", None)
    assert "delete" not in actions(performance.result)


def test_an_index_that_warms_up_in_the_positive_control_is_waited_for() -> None:
    made = world()
    made.after["write"] = lambda namespace: _delay(made, namespace, 900)

    assert perform(made, LATE).verdict == ("PASS", None, None)


def _delay(made: FakeWorld, namespace: str, by_ms: float) -> None:
    for one in made.memories[namespace].values():
        one.seen_from_ms = made.clock.now_ms + by_ms


def test_an_index_that_warms_up_after_the_restart_spoils_nothing() -> None:
    made = world()

    def cold(_: str) -> None:
        for namespace in [*made.memories]:
            _delay(made, namespace, 1500)

    made.after["instance.restart"] = cold
    result = perform(made, LATE).result

    assert result.verdict == "PASS", result.reason
    watch = event(result, Action.AFTER_RESTART).watch
    assert watch is not None
    assert watch.looks[-1].started_ms - watch.since_ms > 1500 + WINDOW_MS


def test_an_index_that_stays_empty_after_the_restart_proves_nothing() -> None:
    made = world()
    made.after["instance.restart"] = lambda _: made.memories.clear()

    assert perform(made, LATE).verdict == ("INCONCLUSIVE", "bystander_lost", None)


def test_a_surface_that_never_showed_the_marker_is_listed_as_unproven() -> None:
    made = world()
    made.after["write"] = lambda namespace: _only_on(made, namespace, "search")
    result = perform(made, LATE).result

    assert result.verdict == "PASS", result.reason
    unproven = {one.name for one in result.surfaces if not one.proven}
    assert unproven == {"list", "profile"}


def _only_on(made: FakeWorld, namespace: str, surface: str) -> None:
    for one in made.memories[namespace].values():
        one.only_on = surface


def test_a_sighting_on_an_unproven_surface_is_a_fail_all_the_same() -> None:
    made = world()
    made.after["write"] = lambda namespace: _only_on(made, namespace, "search")

    def on_profile(namespace: str) -> None:
        content = next(one.body["content"] for one in made.sent if one.operation == "write")
        made.put(namespace, content, only_on="profile")

    made.after["release_pending_writes"] = on_profile
    result = perform(made, LATE).result

    assert result.verdict == "FAIL"
    assert [one.name for one in result.surfaces if one.marker_seen_after] == ["profile"]


def test_after_the_first_sight_the_remaining_events_run_with_one_look_each() -> None:
    made = world(honours_tombstones=False)
    result = perform(made, LATE).result
    watch = event(result, Action.AFTER_RESTART).watch

    assert "restart" in actions(result)
    assert watch is not None
    assert (watch.manner, len(watch.looks)) == (Manner.GLANCE, 1)
    assert "control_write" not in actions(result)


def test_after_the_first_sight_ingestion_is_looked_at_once() -> None:
    made = world(honours_tombstones=False, ingests=True)

    def deaf(_: str) -> None:
        made.ingests = made.sends("consolidate") < 1

    made.after["start_session"] = deaf
    result = perform(made, AGAIN).result
    looked = event(result, Action.CONFIRM_INGESTED).watch

    assert result.verdict == "FAIL"
    assert looked is not None
    assert len(looked.looks) == 1


def test_every_watch_follows_the_schedule() -> None:
    result = perform(world(), LATE).result
    watch = event(result, Action.AFTER_RELEASE).watch
    assert watch is not None
    begun = watch.looks[0].started_ms
    starts = [look.started_ms - begun for look in watch.looks]

    assert starts == pytest.approx([*(due_offset(n) for n in range(9)), WINDOW_MS], abs=0.01)
    assert all(one.counted == one.looks for one in result.windows if one.manner == "watch")


# --- contracts and capabilities -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("without", "contract", "deleted_by"),
    [
        ((), "memory_record", "delete"),
        (("THREAD_DELETE",), "memory_record", "delete"),
        (("MEMORY_DELETE",), "thread_checkpoint", "delete_thread"),
    ],
)
def test_the_deletion_contract_is_the_record_where_that_can_be_deleted(
    without: tuple[str, ...], contract: str, deleted_by: str
) -> None:
    result = perform(world(*without), LATE).result

    assert result.verdict == "PASS", result.reason
    assert result.afterlife is not None
    assert result.afterlife.deletion_contract == contract
    assert deleted_by in actions(result)


def test_a_thread_that_is_deleted_takes_the_marker_and_not_the_bystander() -> None:
    made = world("MEMORY_DELETE", honours_tombstones=False)

    expected = ("FAIL", "late_write_resurrected", "release_pending_writes")
    assert perform(made, LATE).verdict == expected


def test_reingestion_needs_the_deletion_of_a_memory() -> None:
    result = perform(world("MEMORY_DELETE"), AGAIN).result

    assert (result.verdict, result.cause) == ("SKIPPED", "missing_capability")
    assert "MEMORY_DELETE" in result.reason


@pytest.mark.parametrize(
    ("scenario", "without"),
    [
        (LATE, ("MEMORY_WRITE",)),
        (LATE, ("MEMORY_SEARCH",)),
        (LATE, ("LIFECYCLE_PENDING_WRITES",)),
        (LATE, ("MEMORY_DELETE", "THREAD_DELETE")),
        (AGAIN, ("MEMORY_SEARCH",)),
        (AGAIN, ("LIFECYCLE_CONVERSATION",)),
        (AGAIN, NEITHER),
        (DELETED, ("MEMORY_DELETE",)),
    ],
)
def test_what_lacks_a_required_capability_is_skipped(
    scenario: str, without: tuple[str, ...]
) -> None:
    made = world(*without)

    assert perform(made, scenario).verdict == ("SKIPPED", "missing_capability", None)
    assert {one.operation for one in made.sent} == {"capabilities"}


def test_session_starts_alone_are_enough_for_a_reingestion() -> None:
    result = perform(world("LIFECYCLE_CONSOLIDATE"), AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert actions(result).count("start_session") == 2
    assert "consolidate" not in actions(result)


def test_consolidation_alone_is_enough_for_a_reingestion() -> None:
    result = perform(world("LIFECYCLE_NEW_SESSION"), AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert "start_session" not in actions(result)
    assert "consolidate" in actions(result)


@pytest.mark.parametrize("scenario", [LATE, AGAIN, DELETED])
def test_list_and_further_surfaces_need_not_be_there(scenario: str) -> None:
    result = perform(world("MEMORY_LIST", "LIFECYCLE_SURFACES"), scenario).result

    assert result.verdict == "PASS", result.reason
    assert [one.name for one in result.surfaces] == ["search"]


def test_a_service_that_nobody_can_restart_is_not_restarted_and_the_report_says_so() -> None:
    made = world("LIFECYCLE_RESTART")
    result = perform(FakeTarget([made], can_restart=False), LATE).result

    assert result.verdict == "PASS", result.reason
    assert "restart" not in actions(result)
    assert any("restart" in note for note in result.notes)


@pytest.mark.parametrize("scenario", [LATE, AGAIN])
def test_a_service_declared_ephemeral_is_not_restarted_and_the_report_says_so(
    scenario: str,
) -> None:
    result = perform(world(), scenario, is_ephemeral=True).result

    assert result.verdict == "PASS", result.reason
    assert "restart" not in actions(result)
    assert any("`state: ephemeral`" in note for note in result.notes)


def test_a_service_restarts_itself_only_where_the_gate_can_not() -> None:
    itself, gate = world(), world()
    perform(FakeTarget([itself], can_restart=False), LATE)
    perform(FakeTarget([gate]), LATE)

    assert (itself.sends("restart"), gate.sends("restart")) == (1, 0)


# --- derived memories -----------------------------------------------------------------------------


def test_every_derived_record_with_the_marker_is_deleted() -> None:
    made = world()

    def twice(namespace: str) -> None:
        if not made.sends("delete"):
            for one in [*made.memories[namespace].values()]:
                made.put(namespace, f"Summary: {one.content}")

    made.after["consolidate"] = twice
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert actions(result).count("delete") == 2


def test_a_further_derived_record_that_is_gone_already_counts_as_gone() -> None:
    made = world()

    def twice(namespace: str) -> None:
        if not made.sends("delete"):
            for one in [*made.memories[namespace].values()]:
                made.put(namespace, f"Summary: {one.content}")

    def cascade(namespace: str) -> None:
        for name, one in [*made.memories[namespace].items()]:
            if one.content.startswith("Summary: Please remember: my"):
                made.forget(namespace, name)

    made.after["consolidate"], made.after["delete"] = twice, cascade
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert actions(result).count("delete") == 2


def test_a_derived_record_that_also_holds_the_bystander_proves_nothing() -> None:
    made = world()

    def merge(namespace: str) -> None:
        memories = made.memories[namespace]
        whole = " ".join(one.content for one in memories.values())
        memories.clear()
        made.put(namespace, whole)

    made.after["consolidate"] = merge
    performance = perform(made, AGAIN)

    assert performance.verdict == ("INCONCLUSIVE", "bystander_lost", None)
    assert "delete" not in actions(performance.result)


def test_ingestion_that_makes_no_memory_of_the_unrelated_message_proves_nothing() -> None:
    made = world()

    def deaf(_: str) -> None:
        made.ingests = False

    made.after["delete"] = deaf
    performance = perform(made, AGAIN)

    assert performance.verdict == ("INCONCLUSIVE", "ingestion_not_proven", None)


def test_a_record_found_by_list_alone_is_deleted_too() -> None:
    made = world()

    def hidden(namespace: str) -> None:
        if not made.sends("delete"):
            for one in [*made.memories[namespace].values()]:
                made.put(namespace, f"Draft: {one.content}", only_on="list")

    made.after["consolidate"] = hidden
    result = perform(made, AGAIN).result

    assert result.verdict == "PASS", result.reason
    assert actions(result).count("delete") == 2
