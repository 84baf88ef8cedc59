"""The five verdicts, the public causes behind them, and the events that can trigger a finding."""

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """What one scenario, or a whole run, came to."""

    PASS = "PASS"
    FAIL = "FAIL"
    SKIPPED = "SKIPPED"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


class Cause(StrEnum):
    """Why a verdict is not PASS, as a public code (scenario catalogue, causes)."""

    POSITIVE_CONTROL_FAILED = "positive_control_failed"
    VISIBLE_AFTER_DELETE = "visible_after_delete"
    HOOK_NOT_EXECUTED = "hook_not_executed"
    HELD_WRITE_NOT_PROCESSED = "held_write_not_processed"
    INGESTION_NOT_PROVEN = "ingestion_not_proven"
    BYSTANDER_LOST = "bystander_lost"
    WINDOW_NOT_COVERED = "window_not_covered"
    HELD_WRITE_IS_CREATE = "held_write_is_create"
    EVIDENCE_INCOMPLETE = "evidence_incomplete"
    DELETE_BLOCKED_BY_HELD_WRITE = "delete_blocked_by_held_write"
    PROVIDER_ERROR = "provider_error"
    SURFACE_UNREADABLE = "surface_unreadable"
    CONTRACT_VIOLATION = "contract_violation"
    TARGET_LOST = "target_lost"
    MISSING_CAPABILITY = "missing_capability"
    # Findings: the causes of FAIL.
    LATE_WRITE_RESURRECTED = "late_write_resurrected"
    HISTORY_REINGESTION_RESURRECTED = "history_reingestion_resurrected"
    DELETE_NOT_EFFECTIVE = "delete_not_effective"
    POLICY_VIOLATED = "policy_violated"


class Trigger(StrEnum):
    """The event that preceded a reappearance (scenario catalogue, triggers)."""

    DELETE = "delete"
    RELEASE_PENDING_WRITES = "release_pending_writes"
    START_SESSION = "start_session"
    CONSOLIDATE = "consolidate"
    RESTART = "restart"


_WORST_FIRST = (
    Verdict.FAIL,
    Verdict.ERROR,
    Verdict.INCONCLUSIVE,
    Verdict.PASS,
    Verdict.SKIPPED,
)


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several: FAIL > ERROR > INCONCLUSIVE > PASS > SKIPPED (catalogue, rule 14).

    Nothing at all is INCONCLUSIVE: an empty run has tested nothing.
    """
    seen = set(verdicts)
    return next((one for one in _WORST_FIRST if one in seen), Verdict.INCONCLUSIVE)
