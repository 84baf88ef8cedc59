"""Judges a saved report again from its evidence, and says where it differs from what is stored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memtru_ci.domain.derive import unclaimed_exchanges
from memtru_ci.domain.promise import Promise
from memtru_ci.domain.report import Afterlife, Counts, Report, ScenarioResult
from memtru_ci.domain.results import result_of
from memtru_ci.domain.verdict import Verdict, overall

_JUDGED = ("verdict", "cause", "trigger", "finding", "deciding_event", "severity")


LONGEST_SHOWN = 200
"""Characters of a value that a reader can still compare with another."""


@dataclass(frozen=True)
class Difference:
    """One thing that the evidence does not bear out."""

    where: str
    """The scenario and the key, for example `MT-AF-001 verdict`."""
    stored: str
    derived: str

    def __str__(self) -> str:
        if max(len(self.stored), len(self.derived)) > LONGEST_SHOWN:
            return f"{self.where}: the report does not say what its evidence gives"
        return f"{self.where}: the report says {self.stored}, its evidence says {self.derived}"


@dataclass(frozen=True)
class Rejudgement:
    """A report's verdicts by its evidence."""

    results: tuple[ScenarioResult, ...]
    verdict: Verdict
    differences: tuple[Difference, ...]


def rejudge(report: Report, promises: Mapping[str, Promise]) -> Rejudgement:
    """Judge every result again; stored verdicts, causes, triggers and flags are not read.

    A result without a record keeps an ERROR or INCONCLUSIVE; as anything else it has no evidence
    and is INCONCLUSIVE. A scenario that was to be performed and has no result is a difference.
    """
    results: list[ScenarioResult] = []
    differences: list[Difference] = []
    for stored in report.results:
        again = _again(stored, promises.get(stored.scenario))
        results.append(again)
        differences += _differences(stored, again)
    differences += _unperformed(report)
    verdict = overall(one.verdict for one in results)
    if verdict is not report.verdict:
        differences.append(Difference("the run's verdict", report.verdict, verdict))
    counts = count(results)
    if counts != report.counts:
        differences.append(Difference("the run's counts", str(report.counts), str(counts)))
    return Rejudgement(tuple(results), verdict, tuple(differences))


def _unperformed(report: Report) -> Iterator[Difference]:
    performed = [one.scenario for one in report.results]
    for scenario in sorted({*report.settings.scenarios, *performed}):
        times = performed.count(scenario)
        if times != 1 or scenario not in report.settings.scenarios:
            asked = "performed once" if scenario in report.settings.scenarios else "not asked for"
            yield Difference(f"{scenario} results", asked, f"{times} result(s)")


def count(results: list[ScenarioResult]) -> Counts:
    """How many results have which verdict."""
    verdicts = [one.verdict for one in results]
    return Counts(
        passed=verdicts.count(Verdict.PASS),
        failed=verdicts.count(Verdict.FAIL),
        inconclusive=verdicts.count(Verdict.INCONCLUSIVE),
        error=verdicts.count(Verdict.ERROR),
        skipped=verdicts.count(Verdict.SKIPPED),
    )


def _again(stored: ScenarioResult, promise: Promise | None) -> ScenarioResult:
    if promise is not None and stored.record is not None:
        return result_of(
            promise,
            stored.record,
            duration_ms=stored.duration_ms,
            notes=stored.notes,
            cleanup=stored.cleanup,
            log_tail=stored.log_tail,
        )
    if stored.verdict not in (Verdict.ERROR, Verdict.INCONCLUSIVE):
        why = "this version knows no such scenario" if promise is None else "there is no record"
        return stored.model_copy(
            update={
                "verdict": Verdict.INCONCLUSIVE,
                "cause": None,
                "trigger": None,
                "finding": None,
                "reason": f"It can not be judged again: {why}.",
            }
        )
    return stored


def _differences(stored: ScenarioResult, again: ScenarioResult) -> Iterator[Difference]:
    for key in _JUDGED:
        yield from _difference(stored, key, getattr(stored, key), getattr(again, key))
    yield from _difference(stored, "surfaces", stored.surfaces, again.surfaces)
    yield from _difference(stored, "windows", stored.windows, again.windows)
    yield from _difference(stored, "hold", stored.hold, again.hold)
    yield from _difference(stored, "afterlife", _flags(stored.afterlife), _flags(again.afterlife))
    yield from _difference(stored, "events", _events(stored), _events(again))
    yield from _difference(stored, "consistency window", _promised_ms(stored), _promised_ms(again))
    for exchange in _orphans(stored):
        where = f"{stored.scenario} evidence step {exchange[0]}"
        yield Difference(where, "no event for it", f"'{exchange[1]}' was called")


def _difference(stored: ScenarioResult, key: str, before: Any, after: Any) -> Iterator[Difference]:
    if before != after:
        yield Difference(f"{stored.scenario} {key}", _shown(before), _shown(after))


def _shown(value: Any) -> str:
    text = str(value if value is not None else "nothing")
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _flags(afterlife: Afterlife | None) -> Any:
    if afterlife is None:
        return None
    told = [one.model_dump(exclude={"detail"}) for one in afterlife.events]
    return (
        afterlife.deletion_contract,
        afterlife.resurrected,
        afterlife.first_resurrection_event,
        afterlife.resurrection_trigger,
        afterlife.hooks_executed,
        afterlife.surfaces_checked,
        told,
    )


def _events(result: ScenarioResult) -> Any:
    return result.record.events if result.record else None


def _promised_ms(result: ScenarioResult) -> Any:
    return result.record.consistency_window_ms if result.record else None


def _orphans(stored: ScenarioResult) -> Iterator[tuple[int, str]]:
    """Calls before the last event that no event claims: an event was taken out."""
    record = stored.record
    if record is None or not record.acted:
        return
    last_ms = max(event.ended_ms for event in record.acted)
    for one in unclaimed_exchanges(record):
        if one.surface is None and one.operation != "capabilities" and one.started_ms < last_ms:
            yield one.step, one.operation
