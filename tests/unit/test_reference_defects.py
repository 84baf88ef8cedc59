"""Each named defect shows its own fault; the correct service, and every other defect, does not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memtru_ci.adapters import PolicyQueryRequest
from memtru_ci.adapters.faults import AdapterFault
from memtru_ci.errors import UsageError
from memtru_ci.reference.defects import DEFECTS, VARIANTS
from memtru_ci.reference.service import ReferenceService
from tests.unit.reference_probe import ANN, THREAD, Probe, probing

Symptom = Callable[[Probe], bool]


def hold_delete_release(probe: Probe) -> None:
    """A held update of a memory that is deleted before the release."""
    memory = probe.write("old fact")
    probe.service.begin_pending_write(ANN, "held fact", memory)
    probe.service.delete(ANN, memory)
    assert not probe.shows("held fact")
    probe.service.release_pending_writes(ANN)


def late_write_on_search(probe: Probe) -> bool:
    hold_delete_release(probe)
    return "held fact" in probe.searched() and "held fact" in probe.listed()


def late_write_in_profile_alone(probe: Probe) -> bool:
    hold_delete_release(probe)
    clean = "held fact" not in [*probe.searched(), *probe.listed()]
    return clean and "held fact" in probe.profile()


def late_write_only_after_restart(probe: Probe) -> bool:
    hold_delete_release(probe)
    if probe.shows("held fact"):
        return False
    probe.start_again()
    return probe.shows("held fact")


def tell_and_delete(probe: Probe) -> None:
    """A told fact is ingested and deleted; its conversation stays."""
    probe.say("told fact")
    probe.service.start_session(ANN)
    probe.service.delete(ANN, probe.id_of("told fact"))


def history_comes_back_at_session(probe: Probe) -> bool:
    tell_and_delete(probe)
    clean = not probe.shows("told fact")
    probe.service.start_session(ANN)
    return clean and probe.shows("told fact")


def history_comes_back_at_consolidation_alone(probe: Probe) -> bool:
    tell_and_delete(probe)
    probe.service.start_session(ANN)
    clean = not probe.shows("told fact")
    probe.service.consolidate(ANN)
    return clean and probe.shows("told fact")


def restore_brings_it_back(probe: Probe) -> bool:
    memory = probe.write("saved fact")
    backup = probe.service.backup(ANN).backup_id or ""
    probe.service.delete(ANN, memory)
    clean = not probe.shows("saved fact")
    probe.service.restore(ANN, backup)
    return clean and probe.shows("saved fact")


def comes_back_by_itself(probe: Probe) -> bool:
    probe.service.delete(ANN, probe.write("gone fact"))
    probe.clock.now += 2.9
    early = probe.shows("gone fact")
    probe.start_again()
    probe.clock.now += 0.2
    return not early and probe.shows("gone fact")


def delete_does_nothing(probe: Probe) -> bool:
    probe.service.delete(ANN, probe.write("gone fact"))
    return probe.shows("gone fact")


def delete_takes_the_neighbour(probe: Probe) -> bool:
    probe.write("other fact")
    probe.service.delete(ANN, probe.write("gone fact"))
    return not probe.shows("other fact")


def thread_delete_does_nothing(probe: Probe) -> bool:
    if delete_does_nothing(probe):
        return False
    probe.write("threaded fact", THREAD)
    receipt = probe.service.delete_thread(THREAD)
    return receipt.executed and probe.shows("threaded fact")


def search_fails_after_an_event(probe: Probe) -> bool:
    probe.service.start_session(ANN)
    probe.service.delete(ANN, probe.write("gone fact"))
    probe.searched()
    probe.service.start_session(ANN)
    try:
        probe.searched()
    except AdapterFault as fault:
        return fault.status == 500
    return False


def search_fails_after_a_restart(probe: Probe) -> bool:
    probe.service.delete(ANN, probe.write("gone fact"))
    probe.start_again()
    try:
        probe.searched()
    except AdapterFault:
        return True
    return False


def hooks_do_not_run(probe: Probe) -> bool:
    probe.say("told fact")
    ran = probe.service.start_session(ANN).executed and probe.shows("told fact")
    probe.service.delete(ANN, probe.id_of("told fact"))
    receipts = [
        probe.service.start_session(ANN),
        probe.service.consolidate(ANN),
        probe.service.release_pending_writes(ANN),
        probe.say("late fact"),
        probe.service.restart(),
    ]
    return ran and not any(one.executed for one in receipts) and all(one.detail for one in receipts)


def release_loses_a_good_write(probe: Probe) -> bool:
    memory = probe.write("old fact")
    probe.service.begin_pending_write(ANN, "held fact", memory)
    receipt = probe.service.release_pending_writes(ANN)
    return (receipt.executed, receipt.processed) == (True, 1) and not probe.shows("held fact")


def release_deals_with_nothing(probe: Probe) -> bool:
    memory = probe.write("old fact")
    probe.service.begin_pending_write(ANN, "held fact", memory)
    receipts = [probe.service.release_pending_writes(ANN) for _ in range(2)]
    return all(one.executed and one.processed == 0 for one in receipts)


def ingestion_makes_nothing(probe: Probe) -> bool:
    tell_and_delete(probe)
    probe.say("later fact")
    receipts = [probe.service.consolidate(ANN), probe.service.start_session(ANN)]
    return all(one.executed for one in receipts) and not probe.shows("later fact")


def a_deleted_fact_is_answered(probe: Probe) -> bool:
    fact = {"kind": "assertion", "key": "city", "value": "Lisbon", "id": "a"}
    forget = {"kind": "tombstone", "scope": "record", "target": "a", "id": "t"}
    for event in (fact, forget):
        common = {"session": "s", "source": "ann", "recorded_at": "2026-01-01T00:00:00Z"}
        assert probe.service.policy_events([{**event, **common}]).accepted == 1
    asked = PolicyQueryRequest(session="s", at="2026-01-02T00:00:00Z", limit=5)
    return probe.service.policy_query(asked).ids == ("a",)


SYMPTOMS: dict[str, tuple[Symptom, ...]] = {
    "late_write_resurrection": (late_write_on_search,),
    "no_tombstones": (late_write_on_search, history_comes_back_at_session),
    "late_write_after_restart": (late_write_only_after_restart,),
    "profile_only": (late_write_in_profile_alone,),
    "history_reingestion": (history_comes_back_at_session,),
    "consolidation_only": (history_comes_back_at_consolidation_alone,),
    "restore_resurrection": (restore_brings_it_back,),
    "delayed": (comes_back_by_itself,),
    "delete_ignored": (delete_does_nothing,),
    "deletes_everything": (delete_takes_the_neighbour,),
    "thread_delete_forgets_nothing": (thread_delete_does_nothing,),
    "search_breaks_after_event": (search_fails_after_an_event, search_fails_after_a_restart),
    "hook_lies_not_executed": (hooks_do_not_run,),
    "release_drops_write": (release_loses_a_good_write,),
    "release_processes_nothing": (release_deals_with_nothing,),
    "ingestion_dead": (ingestion_makes_nothing,),
    "append_only": (a_deleted_fact_is_answered,),
}
CASES = [(name, symptom) for name, symptoms in SYMPTOMS.items() for symptom in symptoms]


def test_every_defect_has_a_symptom_and_one_line_of_description() -> None:
    assert set(SYMPTOMS) == set(DEFECTS)
    assert all("\n" not in one.description for one in DEFECTS.values())


@pytest.mark.parametrize(("name", "symptom"), CASES)
def test_a_defect_shows_its_fault(name: str, symptom: Symptom, tmp_path: Path) -> None:
    with probing(tmp_path, defect=name) as probe:
        assert symptom(probe)


@pytest.mark.parametrize(("name", "symptom"), CASES)
def test_the_correct_service_does_not(name: str, symptom: Symptom, tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        assert not symptom(probe)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_a_defect_leaves_an_independent_promise_intact(name: str, tmp_path: Path) -> None:
    independent = {
        "late_write_resurrection": history_comes_back_at_session,
        "no_tombstones": comes_back_by_itself,
        "late_write_after_restart": late_write_on_search,
        "profile_only": history_comes_back_at_session,
        "history_reingestion": late_write_on_search,
        "consolidation_only": history_comes_back_at_session,
        "restore_resurrection": late_write_on_search,
        "delayed": late_write_on_search,
        "delete_ignored": release_loses_a_good_write,
        "deletes_everything": late_write_on_search,
        "thread_delete_forgets_nothing": late_write_on_search,
        "search_breaks_after_event": release_loses_a_good_write,
        "hook_lies_not_executed": release_loses_a_good_write,
        "release_drops_write": history_comes_back_at_session,
        "release_processes_nothing": history_comes_back_at_session,
        "ingestion_dead": late_write_on_search,
        "append_only": late_write_on_search,
    }
    with probing(tmp_path, defect=name) as probe:
        assert not independent[name](probe)


def test_a_late_write_also_resurrects_what_a_thread_held(tmp_path: Path) -> None:
    for name, comes_back in (("late_write_resurrection", True), (None, False)):
        with probing(tmp_path / str(name), defect=name, contract="thread_checkpoint") as probe:
            memory = probe.write("old fact", THREAD)
            probe.service.begin_pending_write(THREAD, "held fact", memory)
            probe.service.delete_thread(THREAD)
            assert not probe.shows("old fact")
            receipt = probe.service.release_pending_writes(ANN)
            assert receipt.processed == 1
            assert probe.shows("held fact") is comes_back


def test_a_restart_inside_the_process_replays_the_log_as_a_new_process_does(tmp_path: Path) -> None:
    with probing(tmp_path, defect="late_write_after_restart", restartable=True) as probe:
        hold_delete_release(probe)
        assert not probe.shows("held fact")
        assert probe.service.restart().executed is True
        assert probe.shows("held fact")


def test_a_defect_that_resurrects_reaches_into_no_other_namespace(tmp_path: Path) -> None:
    with probing(tmp_path, defect="late_write_resurrection") as probe:
        memory = probe.write("Ann's fact")
        other = type(ANN)("bob")
        probe.service.begin_pending_write(other, "Bob's fact", memory)
        probe.service.release_pending_writes(other)
        assert probe.searched() == ["Ann's fact"]
        assert probe.searched(ctx=other) == []


def test_a_resurrected_memory_can_be_cleaned_up(tmp_path: Path) -> None:
    with probing(tmp_path, defect="late_write_resurrection") as probe:
        hold_delete_release(probe)
        probe.service.delete(ANN, probe.id_of("held fact"))
        assert not probe.shows("held fact")


def test_an_asynchronous_delete_is_done_within_its_window(tmp_path: Path) -> None:
    with probing(tmp_path, variant="async_delete") as probe:
        memory = probe.write("old fact")
        probe.service.begin_pending_write(ANN, "held fact", memory)
        assert probe.service.delete(ANN, memory).value == "accepted"
        assert probe.shows("old fact")
        assert probe.service.release_pending_writes(ANN).processed == 1
        assert not probe.shows("held fact")
        window = probe.service.info().consistency_window_ms
        assert window == 1500
        probe.start_again()
        probe.clock.now += window / 1000
        assert not probe.shows("old fact")


def test_a_slow_service_delays_its_reads_only(tmp_path: Path) -> None:
    with probing(tmp_path, variant="slow") as probe:
        probe.write("old fact")
        assert probe.clock.slept == []
        probe.searched()
        probe.listed()
        probe.profile()
        assert probe.clock.slept == [0.2, 0.2, 0.2]


def test_variants_are_correct_services(tmp_path: Path) -> None:
    for name in VARIANTS:
        with probing(tmp_path / name, variant=name) as probe:
            hold_delete_release_later(probe)


def hold_delete_release_later(probe: Probe) -> None:
    memory = probe.write("old fact")
    probe.service.begin_pending_write(ANN, "held fact", memory)
    probe.service.delete(ANN, memory)
    probe.service.release_pending_writes(ANN)
    probe.clock.now += 2
    assert not probe.shows("held fact")
    assert not probe.shows("old fact")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"defect": "nothing"}, "no defect 'nothing'"),
        ({"variant": "fast"}, "no variant 'fast'"),
        ({"contract": "none"}, "no deletion contract 'none'"),
        ({"without": ["MEMORY"]}, "no capability 'MEMORY'"),
        ({"defect": "delayed", "variant": "slow"}, "exclude each other"),
    ],
)
def test_an_unknown_option_is_a_usage_error(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ReferenceService(**options)  # type: ignore[arg-type]
