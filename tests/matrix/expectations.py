"""What each scenario says of each defect of the reference service: verdict, cause, trigger."""

from typing import NamedTuple

SCENARIOS = ("MT-AF-001", "MT-AF-002", "MT-DEL-003")
CORRECT = "correct"


class Expected(NamedTuple):
    """A verdict with its cause and trigger; null where there is none."""

    verdict: str
    cause: str | None = None
    trigger: str | None = None


PASS = Expected("PASS")


def _fail(cause: str, trigger: str) -> Expected:
    return Expected("FAIL", cause, trigger)


def _late(trigger: str) -> Expected:
    return _fail("late_write_resurrected", trigger)


def _history(trigger: str) -> Expected:
    return _fail("history_reingestion_resurrected", trigger)


def _inconclusive(cause: str) -> Expected:
    return Expected("INCONCLUSIVE", cause)


NOT_DELETED = _fail("delete_not_effective", "delete")
UNREADABLE = Expected("ERROR", "surface_unreadable")

MATRIX: dict[str, tuple[Expected, Expected, Expected]] = {
    CORRECT: (PASS, PASS, PASS),
    "late_write_resurrection": (_late("release_pending_writes"), PASS, PASS),
    "no_tombstones": (_late("release_pending_writes"), _history("start_session"), PASS),
    "late_write_after_restart": (_late("restart"), PASS, PASS),
    "profile_only": (_late("release_pending_writes"), PASS, PASS),
    "history_reingestion": (PASS, _history("start_session"), PASS),
    "consolidation_only": (PASS, _history("consolidate"), PASS),
    "delayed": (_late("release_pending_writes"), _history("start_session"), NOT_DELETED),
    "delete_ignored": (
        _inconclusive("visible_after_delete"),
        _inconclusive("visible_after_delete"),
        NOT_DELETED,
    ),
    "deletes_everything": (_inconclusive("bystander_lost"),) * 3,
    "search_breaks_after_event": (UNREADABLE, UNREADABLE, PASS),
    "hook_lies_not_executed": (
        _inconclusive("hook_not_executed"),
        _inconclusive("hook_not_executed"),
        PASS,
    ),
    "release_drops_write": (_inconclusive("held_write_not_processed"), PASS, PASS),
    "release_processes_nothing": (_inconclusive("held_write_not_processed"), PASS, PASS),
    "ingestion_dead": (PASS, _inconclusive("ingestion_not_proven"), PASS),
    # What these break is no promise of the scenarios above.
    "restore_resurrection": (PASS, PASS, PASS),
    "thread_delete_forgets_nothing": (PASS, PASS, PASS),
    "append_only": (PASS, PASS, PASS),
}

POLICY_DEFECTS = frozenset({"append_only"})
"""The defects that fail scenarios of the suite `policy`; every other one passes them all."""

BY_THREAD: dict[str, Expected] = {
    CORRECT: PASS,
    "late_write_resurrection": _late("release_pending_writes"),
    "late_write_after_restart": _late("restart"),
    "thread_delete_forgets_nothing": _inconclusive("visible_after_delete"),
}
"""MT-AF-001 where only threads can be deleted (`thread_checkpoint`)."""

WINDOW_MS = {"delayed": 5000}
"""The window that a defect needs to show; 1000 ms for all others."""


def window_ms(defect: str) -> int:
    """The window to test a defect with, milliseconds."""
    return WINDOW_MS.get(defect, 1000)
