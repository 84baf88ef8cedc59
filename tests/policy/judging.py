"""Runs the policy cases against a store, and says which are red and why."""

from collections.abc import Callable, Iterator

from memtru_ci.policy.cases import Case
from memtru_ci.policy.store import PolicyStore


def faults(case: Case, make: Callable[[], PolicyStore] = PolicyStore) -> Iterator[str]:
    """What is not as the case expects: wrong ids, wrong reasons, wrong rejections."""
    store = make()
    rejected = [(one.index, one.reason.partition(":")[0]) for one in store.add_all(case.events)]
    if rejected != [(one.index, one.code) for one in case.rejections]:
        yield f"rejections: {rejected}"
    for question in case.questions:
        answer = store.query(question.query)
        if not question.is_met_by(answer.ids):
            yield f"ids: {answer.ids}, expected {question.expected_ids}"
        if not question.is_explained_by(answer):
            yield f"exclusions: {answer.exclusions}, expected {question.exclusions}"
