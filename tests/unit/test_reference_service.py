"""The correct reference service: durable, isolated, and deletions win over all that comes later."""

import sqlite3
from pathlib import Path

import pytest

from memtru_ci.adapters import Capability, Context, NoSuchRecord, RecordGone
from memtru_ci.reference.schema import SCOPED
from memtru_ci.reference.service import ReferenceService
from memtru_ci.reference.store import FILE_NAME
from memtru_ci.reference.text import relevance, stated, words
from tests.unit.reference_probe import ANN, THREAD, probing


def test_everything_survives_closing_and_opening_again(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        memory = probe.write("kept fact")
        gone = probe.write("gone fact")
        probe.service.begin_pending_write(ANN, "held fact", memory)
        probe.service.delete(ANN, gone)
        probe.say("told fact")
        before = probe.profile()
        probe.start_again()
        assert probe.profile() == before
        assert probe.searched() == ["kept fact"]
        with pytest.raises(RecordGone):
            probe.service.update(ANN, gone, "late fact")
        assert probe.service.release_pending_writes(ANN).processed == 1
        probe.service.consolidate(ANN)
        assert probe.searched() == ["held fact", "told fact"]
        assert probe.write("new fact") not in (memory, gone)


def test_every_commit_is_written_ahead_and_synchronised(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        probe.write("kept fact")
        connection = probe.service._store._db
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        reader = sqlite3.connect(tmp_path / FILE_NAME)
        assert reader.execute("SELECT content FROM records").fetchall() == [("kept fact",)]
        reader.close()


def test_a_refused_call_changes_nothing(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        memory = probe.write("kept fact")
        with pytest.raises(NoSuchRecord):
            probe.service.update(ANN, "mem_999999", "new fact")
        probe.service.update(ANN, memory, "changed fact")
        assert probe.listed() == ["changed fact"]


def test_a_message_whose_memory_was_deleted_is_not_read_again_whatever_the_cursor_says(
    tmp_path: Path,
) -> None:
    with probing(tmp_path) as probe:
        probe.say("told fact")
        probe.service.start_session(ANN)
        probe.service.delete(ANN, probe.id_of("told fact"))
        with probe.service._store.transaction() as ledger:
            ledger.run("DELETE FROM cursors")
        receipt = probe.service.consolidate(ANN)
        assert (receipt.executed, receipt.created) == (True, ())
        assert not probe.shows("told fact")


def test_the_same_statement_in_a_new_message_is_remembered_again(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        probe.say("told fact")
        probe.service.consolidate(ANN)
        probe.service.delete(ANN, probe.id_of("told fact"))
        probe.say("told fact")
        probe.service.consolidate(ANN)
        assert probe.searched() == ["told fact"]


def test_a_thread_takes_its_conversation_and_what_was_written_in_it_and_no_more(
    tmp_path: Path,
) -> None:
    with probing(tmp_path) as probe:
        probe.say("derived fact")
        probe.service.consolidate(ANN)
        probe.say("unread fact")
        probe.write("written fact", THREAD)
        probe.write("other fact", Context("ann", "t2"))
        receipt = probe.service.delete_thread(THREAD)
        assert receipt.processed == 3
        assert "2 message(s), 1 record(s)" in receipt.detail
        probe.service.consolidate(ANN)
        assert probe.searched() == ["derived fact", "other fact"]


def test_a_thread_can_be_used_again_after_its_delete(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        probe.service.begin_pending_write(THREAD, "held before fact")
        probe.service.delete_thread(THREAD)
        probe.service.begin_pending_write(THREAD, "held after fact")
        receipt = probe.service.release_pending_writes(ANN)
        assert receipt.processed == 2
        assert "1 held write(s) applied, 1 refused" in receipt.detail
        assert [one.id for one in receipt.created] == [probe.id_of("held after fact")]
        assert probe.searched() == ["held after fact"]


def test_a_deleted_namespace_leaves_nothing_but_tombstones(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        memory = probe.write("old fact")
        probe.say("told fact")
        probe.service.start_session(ANN)
        backup = probe.service.backup(ANN).backup_id or ""
        probe.service.begin_pending_write(ANN, "held fact", memory)
        bob = Context("bob")
        probe.write("Bob's fact", bob)
        assert probe.service.delete_namespace(ANN).processed == 2
        with probe.service._store.transaction() as ledger:
            for table in SCOPED:
                assert not ledger.has(f"SELECT 1 FROM {table} WHERE namespace = 'ann'"), table
        assert probe.service.restore(ANN, backup).executed is False
        assert probe.service.release_pending_writes(ANN).processed == 0
        with pytest.raises(RecordGone):
            probe.service.update(ANN, memory, "late fact")
        assert not probe.listed()
        assert probe.searched(ctx=bob) == ["Bob's fact"]


def test_holds_of_one_namespace_are_not_released_with_another(tmp_path: Path) -> None:
    with probing(tmp_path) as probe:
        probe.service.begin_pending_write(ANN, "held fact")
        assert probe.service.release_pending_writes(Context("bob")).processed == 0
        assert not probe.shows("held fact")
        assert probe.service.release_pending_writes(ANN).processed == 1
        assert probe.shows("held fact")


def test_a_temporary_folder_is_removed_at_close() -> None:
    service = ReferenceService()
    folder = service._store._folder
    assert (folder / FILE_NAME).exists()
    service.close()
    assert not folder.exists()


def test_capabilities_can_be_hidden(tmp_path: Path) -> None:
    with probing(tmp_path, without=["MEMORY_LIST"], contract="thread_checkpoint") as probe:
        offered = probe.service.capabilities()
        assert Capability.MEMORY_LIST not in offered
        assert Capability.MEMORY_DELETE not in offered
        assert Capability.LIFECYCLE_RESTART not in offered
        assert Capability.THREAD_DELETE in offered


def test_a_promised_window_is_advertised(tmp_path: Path) -> None:
    with probing(tmp_path, consistency_window_ms=700) as probe:
        assert probe.service.info().consistency_window_ms == 700


@pytest.mark.parametrize(
    ("message", "memory"),
    [
        ("Please remember that my key is K-1", "my key is K-1"),
        ("Remember: my key is K-1.", "my key is K-1."),
        ("remember my key is K-1", "my key is K-1"),
        ("I moved to Oslo. Did you know?", "I moved to Oslo."),
        ("My key is K-1", "My key is K-1"),
        ("Where is my key?", None),
        ("   ", None),
    ],
)
def test_a_statement_is_worth_remembering_and_a_question_is_not(
    message: str, memory: str | None
) -> None:
    assert stated(message) == memory


def test_relevance_ignores_case_and_compatibility_forms() -> None:
    assert relevance(words("TEA ﬁne"), "Fine tea") == 1.0
    assert relevance(words("tea coffee"), "tea") == 0.5
    assert relevance(words("coffee"), "tea") == 0.0
    assert relevance(words(""), "tea") == 1.0
