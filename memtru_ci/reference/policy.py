"""The service's temporal policy: the engine over the events in the file."""

import json
from collections.abc import Callable, Sequence

from memtru_ci.adapters import (
    PolicyEventsAnswer,
    PolicyQueryAnswer,
    PolicyQueryRequest,
    RefusedRequest,
    RejectedEvent,
)
from memtru_ci.policy import answer, query
from memtru_ci.policy.store import PolicyStore
from memtru_ci.reference.store import Ledger

MOST_EVENTS = 100_000
MOST_BYTES = 64 * 1024 * 1024
"""What the service keeps of policy events; one over that is rejected."""

FULL = "store_full: no more events are kept"

MakeStore = Callable[[], PolicyStore]


class Policy:
    """Accepted events in their order of arrival, in the file; the engine is rebuilt from them.

    For use inside of a transaction. `forget` it where that was rolled back.
    """

    def __init__(self, make: MakeStore) -> None:
        self._make = make
        self._store: PolicyStore | None = None
        self._count = 0
        self._bytes = 0

    def forget(self) -> None:
        """What is in memory may differ from the file: read it again before it is used."""
        self._store = None

    def take(self, ledger: Ledger, events: Sequence[object]) -> PolicyEventsAnswer:
        """Take in events, each for good or not at all."""
        store = self._rebuilt(ledger)
        reasons = [self._taken(ledger, store, one) for one in events]
        rejected = tuple(
            RejectedEvent(index=index, reason=reason)
            for index, reason in enumerate(reasons)
            if reason is not None
        )
        return PolicyEventsAnswer(accepted=len(events) - len(rejected), rejected=rejected)

    def ask(self, ledger: Ledger, asked: PolicyQueryRequest) -> PolicyQueryAnswer:
        """The facts that hold. Raises `RefusedRequest` for a time without an offset."""
        try:
            question = query.parse(asked.model_dump())
        except query.QueryRejected as rejected:
            raise RefusedRequest(rejected.reason) from None
        found = answer.to_json(self._rebuilt(ledger).query(question))
        return PolicyQueryAnswer.model_validate(found)

    def _taken(self, ledger: Ledger, store: PolicyStore, event: object) -> str | None:
        kept = json.dumps(event)
        if self._count >= MOST_EVENTS or self._bytes + len(kept) > MOST_BYTES:
            return FULL
        reason = store.add(event)
        if reason is None:
            self._count += 1
            self._bytes += len(kept)
            ledger.run("INSERT INTO policy_events (event) VALUES (?)", kept)
        return reason

    def _rebuilt(self, ledger: Ledger) -> PolicyStore:
        if self._store is None:
            self._store = self._make()
            self._count = self._bytes = 0
            for row in ledger.rows("SELECT event FROM policy_events ORDER BY seq"):
                self._store.add(json.loads(row["event"]))
                self._count += 1
                self._bytes += len(row["event"])
        return self._store
