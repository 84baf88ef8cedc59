"""Rules of the policy suite: exact id sets, before the restart and after it (catalogue, rule 2)."""

from collections.abc import Callable, Iterable, Iterator

from memtru_ci.domain.answering import Sent, asked, posted
from memtru_ci.domain.case import Case, Judgement, inconclusive
from memtru_ci.domain.legible import legible
from memtru_ci.domain.looking import moment
from memtru_ci.domain.policy_case import PolicyCase, Question, plain_id
from memtru_ci.domain.rules import calls, chain, errors
from memtru_ci.domain.timeline import Action, Event, Outcome
from memtru_ci.domain.verdict import Cause, Trigger, Verdict

_SHOWN_IDS = 5

PASSED = "Every question was answered by exactly the ids that the policy gives."


def violated(case: Case) -> Judgement | None:
    """A question was answered by other ids than the policy gives."""
    for question, one in _conclusive(case):
        if not question.is_answered_by(one.ids or (), case.record.namespace):
            restart = _restart_before(case, one.event)
            trigger = Trigger.RESTART if restart else None
            reason = _said(case, question, one, after="after the restart" if restart else "")
            return Judgement(Verdict.FAIL, reason, case.promise.finding, one.event.seq, trigger)
    return None


def unanswered(case: Case) -> Judgement | None:
    """The record lacks an event of the case, in order of arrival, or an answer that counts."""
    if not _are_posted(case):
        return _incomplete("The record does not hold the case's events, in order of arrival.")
    answered = [(one.body, bool(_restart_before(case, one.event))) for _, one in _conclusive(case)]
    rounds = (False, True) if _restart_before(case, None) else (False,)
    for is_after in rounds:
        for question in _policy(case).questions:
            if (question.sent_in(case.record.namespace), is_after) not in answered:
                when = "after the restart" if is_after else "once its events could be seen"
                return _incomplete(f"A question of the case has no answer on record {when}.")
    return None


RULES: tuple[Callable[[Case], Judgement | None], ...] = (
    violated,
    errors.lost_target,
    errors.broke_contract,
    errors.answered_with_error,
    errors.lacks_capability,
    calls.stopped,
    calls.unknown_outcome,
    calls.hook_not_executed,
    unanswered,
    chain.numbers_missing,
)
"""The rules of a promise with a policy case, in order; the first that speaks decides."""


def _incomplete(reason: str) -> Judgement:
    return inconclusive(None, Cause.EVIDENCE_INCOMPLETE, reason)


def _policy(case: Case) -> PolicyCase:
    return case.promise.policy or PolicyCase("", (), (), ())


def _are_posted(case: Case) -> bool:
    wanted = [{"events": one} for one in _policy(case).calls_in(case.record.namespace)]
    return [one.body for one in posted(case.record)] == wanted


def _conclusive(case: Case) -> Iterator[tuple[Question, Sent]]:
    """Answers to the case's questions that were asked once every event had to be seen."""
    if not _are_posted(case):
        return
    sent = [one.event for one in posted(case.record)]
    last_ms = max((one.ended_ms for one in sent), default=float("-inf"))
    earliest = moment(last_ms + case.record.consistency_window_ms) if sent else last_ms
    for one in asked(case.record):
        if one.ids is None or one.event.started_ms < earliest:
            continue
        for question in _policy(case).questions:
            if one.body == question.sent_in(case.record.namespace):
                yield question, one


def _restart_before(case: Case, event: Event | None) -> Event | None:
    """The restart that took place, if it did before this event (null: at any time)."""
    for one in case.record.of(Action.RESTART):
        if one.outcome is Outcome.DONE and (event is None or one.seq < event.seq):
            return one
    return None


def _said(case: Case, question: Question, one: Sent, after: str) -> str:
    namespace = case.record.namespace
    given = [plain_id(name, namespace) for name in one.ids or ()]
    wrong = [name for name in given if name not in question.expected]
    missing = [name for name in question.expected if name not in given]
    parts = [
        f"{_listed(wrong)} must not be in the answer" if wrong else "",
        f"{_listed(missing)} must be" if missing else "",
        "" if wrong or missing else f"it must be {_listed(question.expected)}, each once, in order",
    ]
    policy = _policy(case)
    asked_at = legible(f"asked at {question.body.get('at')} {after}".rstrip())
    what = ", ".join(part for part in parts if part)
    rule = " or ".join(policy.rules)
    return f"Rule {rule} of the policy is broken ({policy.name}): {what}; {asked_at}."


def _listed(names: Iterable[str]) -> str:
    shown = [f"'{legible(one, 64)}'" for one in names]
    more = [f"{len(shown) - _SHOWN_IDS} more"] if len(shown) > _SHOWN_IDS else []
    return ", ".join([*shown[:_SHOWN_IDS], *more])
