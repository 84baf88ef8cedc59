"""The reference service's own deletions obey the rules of the policy engine."""

from pathlib import Path

import pytest

from memtru_ci.adapters import Context
from memtru_ci.policy.store import PolicyStore
from memtru_ci.reference import tombstones
from memtru_ci.reference.store import Store
from memtru_ci.reference.tombstones import is_buried, lay_tombstone
from tests.unit.reference_probe import ANN, Probe, probing


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, lambda: 1000.0)


@pytest.mark.parametrize("kind", ["memory", "message"])
@pytest.mark.parametrize("since", [0, 1, 999])
def test_a_record_stays_deleted_whenever_it_began(store: Store, kind: str, since: int) -> None:
    with store.transaction() as ledger:
        assert not is_buried(ledger, "ann", kind, "m1", since)
        lay_tombstone(ledger, "ann", kind, "m1")
        assert is_buried(ledger, "ann", kind, "m1", since)


def test_a_thread_is_deleted_up_to_its_tombstone_and_may_begin_anew(store: Store) -> None:
    with store.transaction() as ledger:
        before = ledger.count_up("moment")
        lay_tombstone(ledger, "ann", "thread", "t1")
        after = ledger.count_up("moment")
        assert is_buried(ledger, "ann", "thread", "t1", before)
        assert not is_buried(ledger, "ann", "thread", "t1", after)

        lay_tombstone(ledger, "ann", "thread", "t1")
        assert is_buried(ledger, "ann", "thread", "t1", after)


def test_a_tombstone_reaches_no_other_thing_kind_or_namespace(store: Store) -> None:
    with store.transaction() as ledger:
        lay_tombstone(ledger, "ann", "memory", "m1")
        assert not is_buried(ledger, "ann", "memory", "m2")
        assert not is_buried(ledger, "ann", "message", "m1")
        assert not is_buried(ledger, "bob", "memory", "m1")


def test_it_is_the_engine_that_decides(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(PolicyStore):
        """Rejects every tombstone."""

        def add(self, raw: object) -> str | None:
            is_tombstone = isinstance(raw, dict) and raw["kind"] == "tombstone"
            return "no" if is_tombstone else super().add(raw)

    monkeypatch.setattr(tombstones, "PolicyStore", Forgetful)
    with store.transaction() as ledger:
        lay_tombstone(ledger, "ann", "memory", "m1")
        assert not is_buried(ledger, "ann", "memory", "m1")


def test_what_is_held_in_a_thread_after_its_deletion_is_written(tmp_path: Path) -> None:
    thread = Context("ann", "t1")

    def held(probe: Probe, content: str) -> None:
        probe.service.begin_pending_write(thread, content)

    with probing(tmp_path) as probe:
        held(probe, "early fact")
        probe.service.delete_thread(thread)
        held(probe, "later fact")
        probe.start_again()
        probe.service.release_pending_writes(ANN)
        assert probe.listed() == ["later fact"]
