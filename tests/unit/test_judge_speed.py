"""A large record is judged in a moment."""

import time

from memtru_ci.domain.timeline import Action, Manner
from memtru_ci.domain.verdict import Verdict
from tests.timelines import LATE_WRITE, Timeline, performed, result

BUDGET_S = 0.3
FILLER = [
    {"id": f"mem_{number}", "content": "nothing of note, said at length. " * 4}
    for number in range(45)
]


def test_a_record_of_two_thousand_exchanges_with_large_answers_is_judged_at_once() -> None:
    def long_watch(timeline: Timeline) -> None:
        timeline.watch(
            Action.AFTER_RELEASE, Manner.WATCH, at=[*range(0, 95_000, 100)], window_ms=94_000
        )

    record = performed(LATE_WRITE | {"after_release": long_watch})
    evidence = tuple(
        one.model_copy(update={"answer": {"results": [*FILLER, *one.answer["results"]]}})
        if isinstance(one.answer, dict) and "results" in one.answer
        else one
        for one in record.evidence
    )
    record = record.model_copy(update={"evidence": evidence})
    assert len(record.evidence) > 1900

    # The least of three, in processor time: other work on the machine is no slowness of ours.
    took = []
    for _ in range(3):
        began = time.process_time()
        verdict = result("MT-AF-001", record).verdict
        took.append(time.process_time() - began)

    assert verdict is Verdict.PASS
    assert min(took) < BUDGET_S, took
