"""Records of the policy suite, written by hand: a fact, its deletion, and two questions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memtru_ci.domain.capability import Capability
from memtru_ci.domain.case import Judgement
from memtru_ci.domain.derive import derived
from memtru_ci.domain.judge import Rule, judge
from memtru_ci.domain.policy_case import PolicyCase, Question
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import Action, Outcome
from memtru_ci.domain.verdict import Cause
from tests.timelines import NAMESPACE, RESTARTED, Timeline

CITY: dict[str, Any] = {"id": "a", "kind": "assertion", "session": "s", "key": "city"}
TEA: dict[str, Any] = {"id": "b", "kind": "assertion", "session": "s", "key": "tea"}
PLAIN = Question({"session": "s", "query": None, "at": "2026-01-01T00:00:00Z", "limit": 9}, ("a",))
RANKED = Question(
    {"session": "s", "query": "green tea", "at": "2026-01-01T00:00:00Z", "limit": 9},
    ("b", "a"),
    is_ranked=True,
)
PROMISE = Promise(
    id="MT-LP-900",
    title="Two facts",
    finding=Cause.POLICY_VIOLATED,
    suite="policy",
    needs=(frozenset({Capability.POLICY_EVENTS}), frozenset({Capability.POLICY_QUERY})),
    lifecycle=(),
    severity="high",
    afterlife=False,
    policy=PolicyCase("two_facts", ("6", "7"), (CITY, TEA), (PLAIN, RANKED)),
)
Do = Callable[["Sketch"], object]


def own(event: dict[str, Any]) -> dict[str, Any]:
    """An event as a trial sends it."""
    names = {key: f"{NAMESPACE}.{event[key]}" for key in ("id", "session")}
    return {**event, **names}


class Sketch(Timeline):
    """A record of the suite that grows."""

    def post(self, *events: dict[str, Any], **how: Any) -> None:
        """One call with these events, and what came of it."""
        body = {"events": [own(one) for one in events]}
        answer = {"accepted": len(events), "rejected": []}
        self._call(Action.POST_POLICY_EVENT, "policy_events", body, answer, **how)

    def ask(self, question: Question, *ids: str, raw: Any = None, **how: Any) -> None:
        """One question, answered by these ids."""
        answer = {"ids": [f"{NAMESPACE}.{one}" for one in ids]} if raw is None else raw
        body = question.sent_in(NAMESPACE)
        self._call(Action.ASK_POLICY, "policy_query", body, answer, **how)

    def ask_all(self, **answers: tuple[str, ...]) -> None:
        """Both questions, rightly answered but for what is given."""
        self.ask(PLAIN, *answers.get("plain", PLAIN.expected))
        self.ask(RANKED, *answers.get("ranked", RANKED.expected))

    def _call(
        self,
        action: Action,
        operation: str,
        body: Any,
        answer: Any,
        outcome: Outcome = Outcome.DONE,
        status: int | None = 200,
    ) -> None:
        started = self.now
        is_silent = outcome in (Outcome.NO_ANSWER, Outcome.TARGET_LOST)
        step = self.exchange(
            operation,
            started,
            5,
            request=body,
            answer=None if is_silent else answer,
            status=None if is_silent else status,
            outcome=outcome,
        )
        self.now += 6
        self.event(action, started, outcome=outcome, evidence_steps=(step,))

    @property
    def record(self) -> Record:
        """What there is so far."""
        return Record(
            namespace=NAMESPACE,
            events=tuple(self.events),
            evidence=tuple(self.evidence),
            **{"window_ms": 1000, **self.facts, "deletion_contract": None},
        )


def recorded(*does: Do, **facts: Any) -> Record:
    """The record of doing these things."""
    sketch = Sketch(**facts)
    for do in does:
        do(sketch)
    return sketch.record


def posted(sketch: Sketch) -> None:
    """Both events, each in a call of its own."""
    sketch.post(CITY)
    sketch.post(TEA)


def asked(**answers: tuple[str, ...]) -> Do:
    """Both questions."""
    return lambda sketch: sketch.ask_all(**answers)


def restarted(receipt: RestartReceipt = RESTARTED) -> Do:
    """A restart by the gate."""
    return lambda sketch: sketch.restart(receipt)


@dataclass(frozen=True)
class Judged:
    """A record and what must come of it."""

    name: str
    record: Record
    expected: tuple[str, str | None, str | None]

    def judged(self, rules: tuple[Rule, ...] | None = None) -> Judgement:
        """The judgement of its evidence."""
        return judge(PROMISE, derived(self.record), rules)

    def outcome(self, rules: tuple[Rule, ...] | None = None) -> tuple[str, str | None, str | None]:
        """Verdict, cause and trigger."""
        one = self.judged(rules)
        return one.verdict.value, one.cause and one.cause.value, one.trigger and one.trigger.value
