"""Decides on a run's results whether the gate opens, and with which exit code."""

from collections.abc import Callable, Iterator, Sequence

from memtru_ci.domain.folding import folded
from memtru_ci.domain.report import GateFacts, RunSettings, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.errors import (
    EXIT_FINDINGS,
    EXIT_INCONCLUSIVE,
    EXIT_INFRASTRUCTURE,
    EXIT_OPEN,
)

_SEVERITIES = ("low", "medium", "high", "critical")
_FIRST_WINS = (EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_INCONCLUSIVE)

Reason = tuple[int, str]


def decide(
    results: Sequence[ScenarioResult], settings: RunSettings, interrupted: str = ""
) -> GateFacts:
    """Open (exit 0) only where nothing speaks against it.

    Findings (1) go before errors (4), errors before whatever else keeps the gate closed (3).
    """
    reasons = [
        *_findings(results, settings),
        *_errors(results),
        *_inconclusive(results, settings),
        *_not_run(results, settings),
        *_nothing_tested(results),
        *_interrupted(interrupted),
    ]
    codes = {code for code, _ in reasons}
    code = next((one for one in _FIRST_WINS if one in codes), EXIT_OPEN)
    return GateFacts(open=not reasons, exit_code=code, reasons=[text for _, text in reasons])


def closes(severity: str, fail_on: str) -> bool:
    """Whether a FAIL of this severity closes the gate; one of unknown severity always does."""
    if fail_on == "never":
        return False
    return severity not in _SEVERITIES or severity in _SEVERITIES[_SEVERITIES.index(fail_on) :]


def _findings(results: Sequence[ScenarioResult], settings: RunSettings) -> Iterator[Reason]:
    failed = _with(results, Verdict.FAIL)
    closing = [one for one in failed if closes(one.severity, settings.fail_on)]
    yield from _each(EXIT_FINDINGS, closing, lambda one: one.severity)


def _errors(results: Sequence[ScenarioResult]) -> Iterator[Reason]:
    yield from _each(EXIT_INFRASTRUCTURE, _with(results, Verdict.ERROR), _cause)


def _inconclusive(results: Sequence[ScenarioResult], settings: RunSettings) -> Iterator[Reason]:
    if settings.fail_on_inconclusive:
        yield from _each(EXIT_INCONCLUSIVE, _with(results, Verdict.INCONCLUSIVE), _cause)


def _each(
    code: int, results: Sequence[ScenarioResult], why: Callable[[ScenarioResult], str]
) -> Iterator[Reason]:
    """A reason for each, and one for the rest of a large suite."""
    alone, folds = folded(results)
    yield from ((code, f"{one.scenario} is {one.verdict} ({why(one)})") for one in alone)
    for fold in folds:
        yield code, f"{len(fold.results)} more of the suite '{fold.suite}' are {fold.verdict}"


def _cause(result: ScenarioResult) -> str:
    return result.cause or "no cause"


def _not_run(results: Sequence[ScenarioResult], settings: RunSettings) -> Iterator[Reason]:
    verdicts = {one.scenario: one.verdict for one in results}
    wanted = dict.fromkeys(settings.asked_by_id, "asked for by its id")
    wanted |= dict.fromkeys(settings.required, "required")
    for scenario, why in wanted.items():
        if verdicts.get(scenario, Verdict.SKIPPED) is Verdict.SKIPPED:
            yield EXIT_INCONCLUSIVE, f"{scenario} is {why}, but was not performed"


def _nothing_tested(results: Sequence[ScenarioResult]) -> Iterator[Reason]:
    if not _with(results, Verdict.PASS) and not _with(results, Verdict.FAIL):
        yield EXIT_INCONCLUSIVE, "nothing was tested: no scenario came to PASS or FAIL"


def _interrupted(interrupted: str) -> Iterator[Reason]:
    if interrupted:
        yield EXIT_INCONCLUSIVE, f"the run was cut short: {interrupted}"


def _with(results: Sequence[ScenarioResult], verdict: Verdict) -> list[ScenarioResult]:
    return [one for one in results if one.verdict is verdict]
