"""Rules for INCONCLUSIVE: a window after an event was not watched as rule 7 asks."""

from memtru_ci.domain.case import Case, Judgement, inconclusive
from memtru_ci.domain.legible import legible
from memtru_ci.domain.looking import SEARCH, Coverage, coverage_of, opening_look
from memtru_ci.domain.rules.absence import bystander_lost
from memtru_ci.domain.verdict import Cause


def bystander_gone(case: Case) -> Judgement | None:
    """A window was never opened by a look that counts on every surface (rule 4)."""
    for event in case.watched():
        if event.watch and opening_look(event.watch, case.controls) is None:
            if all(case.controls.look_counts(look) for look in event.watch.looks):
                reason = f"No look at all began within one window after '{event.action}'."
                return inconclusive(event, Cause.WINDOW_NOT_COVERED, reason)
            return bystander_lost(event)
    return None


def window_not_covered(case: Case) -> Judgement | None:
    """A window was not watched densely to its end on each surface that can prove absence."""
    for event in case.watched():
        if event.watch is None:
            continue
        for surface in sorted(case.controls.proven | {SEARCH}):
            coverage = coverage_of(event.watch, case.controls, surface)
            if not coverage.is_whole(event.watch.window_ms):
                reason = f"'{event.action}' did not cover its window on {_shortfall(coverage)}."
                return inconclusive(event, Cause.WINDOW_NOT_COVERED, reason)
    return None


def _shortfall(coverage: Coverage) -> str:
    gap = "none" if coverage.largest_gap_ms is None else f"{coverage.largest_gap_ms:.0f} ms"
    closing = "a" if coverage.closing_ms is not None else "no"
    return (
        f"'{legible(coverage.surface, 64)}': {coverage.counted} of {coverage.made} looks counted, "
        f"largest gap {gap}, {closing} closing look"
    )


def short_window(case: Case) -> Judgement | None:
    """A watch was set shorter than the window that the run, or the service, promised."""
    promised = max(case.record.window_ms, case.record.consistency_window_ms)
    for event in case.watched():
        if event.watch and event.watch.window_ms < promised:
            reason = f"'{event.action}' watched a shorter window than the run promises."
            return inconclusive(event, Cause.WINDOW_NOT_COVERED, reason)
    return None
