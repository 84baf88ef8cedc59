"""What a policy service was sent and what it answered, from the kept exchanges alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import Action, Event, Outcome


@dataclass(frozen=True)
class Sent:
    """A call that was answered. `ids` are those of a query's answer; null where it has none."""

    event: Event
    body: JsonValue
    ids: tuple[str, ...] | None = None


def posted(record: Record) -> list[Sent]:
    """The events that the service took or rejected, in order."""
    return list(_answered(record, Action.POST_POLICY_EVENT, "policy_events"))


def asked(record: Record) -> list[Sent]:
    """The questions that were answered, in order."""
    return list(_answered(record, Action.ASK_POLICY, "policy_query"))


def _answered(record: Record, action: Action, operation: str) -> Iterator[Sent]:
    exchanges = {one.step: one for one in record.evidence}
    for event in record.of(action):
        kept = [exchanges[step] for step in event.evidence_steps if step in exchanges]
        if event.outcome is Outcome.DONE and kept and kept[-1].operation == operation:
            yield Sent(event, kept[-1].request, _ids(kept[-1].answer))


def _ids(answer: JsonValue) -> tuple[str, ...] | None:
    ids = answer.get("ids") if isinstance(answer, dict) else None
    if not isinstance(ids, list):
        return None
    texts = tuple(one for one in ids if isinstance(one, str))
    return texts if len(texts) == len(ids) else None
