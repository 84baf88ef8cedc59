"""The named defects: each is the correct service with exactly one broken promise."""

from dataclasses import dataclass, replace

from memtru_ci.policy.baseline import AppendOnlyStore
from memtru_ci.reference import faults_of_delete as of_delete
from memtru_ci.reference import faults_of_events as of_events
from memtru_ci.reference.rules import CORRECT, Rules


@dataclass(frozen=True)
class Defect:
    """A known way in which the reference service breaks its promise."""

    name: str
    description: str
    rules: Rules


def _defect(name: str, description: str, **wrong: object) -> Defect:
    return Defect(name, description, replace(CORRECT, **wrong))  # type: ignore[arg-type]


_ALL = (
    _defect(
        "late_write_resurrection",
        "A held write that is released after the delete writes the deleted record anew.",
        refused_write=of_events.write_anyway,
    ),
    _defect(
        "no_tombstones",
        "Nothing is remembered of a delete: late writes land, and history is read again.",
        refused_write=of_events.write_anyway,
        ingest_at_session=of_events.reingest_all,
        ingest_at_consolidation=of_events.reingest_all,
    ),
    _defect(
        "late_write_after_restart",
        "A held write is refused at its release, but stays in a log that is replayed at start.",
        refused_write=of_events.keep_in_journal,
        at_start=of_events.replay_journal,
    ),
    _defect(
        "profile_only",
        "A refused held write reaches the profile all the same; search and list stay clean.",
        refused_write=of_events.show_in_profile,
    ),
    _defect(
        "history_reingestion",
        "Session start and consolidation read the whole history again and ignore tombstones.",
        ingest_at_session=of_events.reingest_all,
        ingest_at_consolidation=of_events.reingest_all,
    ),
    _defect(
        "consolidation_only",
        "Consolidation reads the whole history again and ignores tombstones; sessions do not.",
        ingest_at_consolidation=of_events.reingest_all,
    ),
    _defect(
        "restore_resurrection",
        "A restore brings back what was deleted after the backup.",
        may_return=of_events.everything_returns,
    ),
    _defect(
        "delayed",
        "A deleted memory comes back by itself 3 seconds after its delete.",
        bury=of_delete.bury_for_three_seconds,
    ),
    _defect(
        "delete_ignored",
        "A delete is acknowledged, and nothing happens.",
        bury=of_delete.keep,
    ),
    _defect(
        "deletes_everything",
        "A delete wipes the whole namespace.",
        bury=of_delete.wipe_namespace,
    ),
    _defect(
        "thread_delete_forgets_nothing",
        "The deletion of a thread is acknowledged, and nothing happens.",
        forget_thread=of_delete.keep_thread,
    ),
    _defect(
        "search_breaks_after_event",
        "Search answers 500 from the first lifecycle event after a delete on.",
        after_event=of_events.break_search,
        before_search=of_events.fail_if_broken,
        at_start=of_events.break_search_everywhere,
    ),
    _defect(
        "hook_lies_not_executed",
        "After the first delete, lifecycle hooks do nothing and say so.",
        excuse=of_events.decline_after_delete,
    ),
    _defect(
        "release_drops_write",
        "A release claims to have processed the held writes, and drops them.",
        release=of_events.drop_held_writes,
    ),
    _defect(
        "release_processes_nothing",
        "A release runs, processes nothing, and keeps holding.",
        release=of_events.keep_holding,
    ),
    _defect(
        "ingestion_dead",
        "After the first delete, ingestion runs and makes no memory any more.",
        ingest_at_session=of_events.ingest_until_delete,
        ingest_at_consolidation=of_events.ingest_until_delete,
    ),
    _defect(
        "append_only",
        "Policy events are only ever appended: no correction, expiry or deletion takes effect.",
        policy=AppendOnlyStore,
    ),
)

DEFECTS: dict[str, Defect] = {one.name: one for one in _ALL}
"""By name, as `--defect` takes it."""


@dataclass(frozen=True)
class Variant:
    """A correct service that behaves unusually; the gate must not blame it."""

    name: str
    description: str
    rules: Rules = CORRECT
    read_delay_ms: int = 0
    consistency_window_ms: int | None = None


VARIANTS: dict[str, Variant] = {
    one.name: one
    for one in (
        Variant("slow", "Every read takes 200 ms.", read_delay_ms=200),
        Variant(
            "async_delete",
            "A delete is accepted (202) and done 0.7 seconds later.",
            rules=replace(CORRECT, bury=of_delete.bury_later),
            consistency_window_ms=1500,
        ),
    )
}
"""By name."""
