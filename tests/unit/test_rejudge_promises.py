"""What a service promised is taken from its answer: nobody can promise more for it afterwards."""

from memtru_ci.domain.rejudge import Rejudgement, rejudge
from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.scenarios import PROMISES
from tests.performing import DELETED, perform, report_of, world

BACK_AFTER_MS = 1200


def came_back_by_itself() -> ScenarioResult:
    made = world("LIFECYCLE_SURFACES")

    def come_back(namespace: str) -> None:
        for content in [one for one in made.tombstones if not one.startswith("mem_")]:
            made.put(namespace, content, seen_from_ms=made.clock.now_ms + BACK_AFTER_MS)

    made.after["delete"] = come_back
    return perform(made, DELETED).result


def with_promise(result: ScenarioResult, promised_ms: int) -> Rejudgement:
    assert result.record is not None
    record = result.record.model_copy(update={"consistency_window_ms": promised_ms})
    stored = result.model_copy(update={"record": record})
    return rejudge(report_of([stored]), PROMISES)


def test_a_sighting_is_not_excused_by_a_window_that_the_service_never_promised() -> None:
    result = came_back_by_itself()
    assert result.verdict is Verdict.FAIL

    again = with_promise(result, 60_000)

    assert again.verdict is Verdict.FAIL
    assert [one.where for one in again.differences] == [f"{DELETED} consistency window"]


def test_a_promise_that_nobody_touched_is_borne_out() -> None:
    assert with_promise(came_back_by_itself(), 0).differences == ()
