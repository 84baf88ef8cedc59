"""Tells many results of a suite in a few lines: what passed as one, what did not by its first."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtru_ci.domain.report import ScenarioResult
from memtru_ci.domain.verdict import Verdict

FOLDED_SUITES = frozenset({"policy"})
"""Suites of so many scenarios that nobody wants to read a line about each."""

SHOWN = 10
"""Results of a suite and a verdict that are shown by themselves; the others are counted."""

MOST_IDS = 5
"""Ids of a large suite that a command names one by one."""

_QUIET = (Verdict.PASS, Verdict.SKIPPED)
_LEAST_RUN = 3
_NUMBERED = re.compile(r"(.*-)(\d+)")


@dataclass(frozen=True)
class Fold:
    """Results of one suite and verdict that are told as one."""

    suite: str
    verdict: Verdict
    results: tuple[ScenarioResult, ...]
    is_rest: bool
    """Whether others of the suite and verdict are shown by themselves."""

    @property
    def name(self) -> str:
        """Which scenarios these are."""
        return ", ".join(condensed(one.scenario for one in self.results))

    @property
    def reason(self) -> str:
        """How many they are, and why, where they all have one reason."""
        more = "more " if self.is_rest else ""
        count = f"{len(self.results)} {more}of the suite '{self.suite}'"
        reasons = {one.reason for one in self.results}
        return f"{count}: {reasons.pop()}" if len(reasons) == 1 else f"{count}."


def folded(results: Iterable[ScenarioResult]) -> tuple[list[ScenarioResult], list[Fold]]:
    """What is shown by itself, in order, and what is told as one."""
    alone: list[ScenarioResult] = []
    kinds: dict[tuple[str, Verdict], list[ScenarioResult]] = {}
    for one in results:
        if one.suite in FOLDED_SUITES:
            kinds.setdefault((one.suite, one.verdict), []).append(one)
        else:
            alone.append(one)
    folds = []
    for (suite, verdict), kind in kinds.items():
        shown = 0 if verdict in _QUIET else SHOWN
        if len(kind) <= max(1, shown):
            shown = len(kind)
        alone += kind[:shown]
        if kind[shown:]:
            folds.append(Fold(suite, verdict, tuple(kind[shown:]), bool(shown)))
    return alone, folds


def told_of(results: Iterable[ScenarioResult]) -> Iterator[tuple[str, Verdict, str]]:
    """Scenarios, verdict and reason, as much as is told one by one."""
    alone, folds = folded(results)
    yield from ((one.scenario, one.verdict, one.reason) for one in alone)
    yield from ((one.name, one.verdict, one.reason) for one in folds)


def briefly(ids: Iterable[str], results: Iterable[ScenarioResult]) -> list[str]:
    """The ids of scenarios, with the name of a large suite in place of many of its ids."""
    names = list(ids)
    suite_of = {one.scenario: one.suite for one in results}
    for suite in sorted(FOLDED_SUITES):
        others = [one for one in names if suite_of.get(one) != suite]
        if len(names) - len(others) > MOST_IDS:
            names = [*others, suite]
    return names


def condensed(ids: Iterable[str]) -> list[str]:
    """Ids in order; three or more with successive numbers become the first and the last."""
    runs: list[list[str]] = []
    for one in ids:
        if runs and _follows(runs[-1][-1], one):
            runs[-1].append(one)
        else:
            runs.append([one])
    return [text for run in runs for text in _told(run)]


def _told(run: Sequence[str]) -> Sequence[str]:
    return run if len(run) < _LEAST_RUN else [f"{run[0]} to {run[-1]}"]


def _follows(before: str, after: str) -> bool:
    first, second = _NUMBERED.fullmatch(before), _NUMBERED.fullmatch(after)
    return (
        first is not None
        and second is not None
        and first[1] == second[1]
        and int(second[2]) == int(first[2]) + 1
    )
