"""From the record of one trial to its verdict: an ordered tuple of small rules.

The first rule that speaks decides; PASS is what is left when the whole chain of evidence is there.
The rules are the rows of the verdict tables of the afterlife reference and the scenario catalogue.
"""

from collections.abc import Callable

from memtru_ci.domain.case import Case, Judgement
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.record import Record
from memtru_ci.domain.rules import absence, calls, chain, errors, findings, hold, policy, windows
from memtru_ci.domain.verdict import Verdict

Rule = Callable[[Case], Judgement | None]

RULES: tuple[Rule, ...] = (
    hold.is_create,
    hold.create_control_missing,
    findings.reappeared,
    findings.still_there,
    errors.lost_target,
    errors.broke_contract,
    errors.answered_with_error,
    errors.unreadable_surface,
    errors.lacks_capability,
    calls.stopped,
    calls.blocked_delete,
    calls.unknown_outcome,
    calls.hook_not_executed,
    absence.never_retrievable,
    absence.bystander_in_same_record,
    absence.visible_after_delete,
    absence.bystander_gone_after_delete,
    absence.absence_not_settled,
    calls.released_nothing,
    calls.ingestion_not_proven,
    windows.bystander_gone,
    windows.window_not_covered,
    windows.short_window,
    chain.chain_broken,
    chain.lifecycle_missing,
    chain.unwatched_event,
    hold.out_of_order,
    hold.not_shown,
    hold.applied_while_held,
    chain.numbers_missing,
    hold.only_on_the_wire,
)


PASSED = "The marker stayed absent after every event of the scenario."


def rules_of(promise: Promise) -> tuple[Rule, ...]:
    """The rules that a promise is judged by."""
    return RULES if promise.policy is None else policy.RULES


def judge(promise: Promise, record: Record, rules: tuple[Rule, ...] | None = None) -> Judgement:
    """The verdict of a record under a promise; pure, and total for any record."""
    case = Case(promise, record)
    for rule in rules_of(promise) if rules is None else rules:
        judgement = rule(case)
        if judgement is not None:
            return judgement
    return Judgement(Verdict.PASS, PASSED if promise.policy is None else policy.PASSED)
