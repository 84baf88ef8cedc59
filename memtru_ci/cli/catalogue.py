"""`memtru-ci scenarios` and `memtru-ci explain`: what is tested, and what the answers mean."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtru_ci.errors import UsageError

if TYPE_CHECKING:
    from memtru_ci.domain.promise import Promise

Row = tuple[str, str]


def scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """List the scenarios, and the suites they belong to."""
    from memtru_ci.domain.folding import condensed
    from memtru_ci.scenarios import PROMISES, SUITES

    if as_json:
        typer.echo(json.dumps([_facts(one) for one in PROMISES.values()], indent=2))
        return
    _print(("Scenario     Suite       Severity  ", "Promise tested"))
    for one in PROMISES.values():
        _print((f"{one.id:<12} {one.suite:<11} {one.severity:<9} ", one.title))
    _print(("", ""))
    for name, ids in SUITES.items():
        _print((f"Suite {name:<10} ", ", ".join(condensed(ids))))


def explain(
    name: Annotated[str, typer.Argument(metavar="ID", help="A scenario, finding code or cause.")],
) -> None:
    """Explain a scenario by its id, or a finding or cause by its code."""
    from memtru_ci.domain.nearest import did_you_mean
    from memtru_ci.domain.verdict import Cause
    from memtru_ci.reporters.words import CAUSES, FINDINGS
    from memtru_ci.scenarios import PROMISES

    causes = {one.value: one for one in Cause}
    code = name.lower().replace("-", "_")
    if name.upper() in PROMISES:
        _print(*_scenario_rows(PROMISES[name.upper()]))
    elif (cause := causes.get(code)) in FINDINGS:
        _print(*_finding_rows(cause))
    elif cause is not None:
        words = CAUSES[cause]
        _print(("", f"{code}"), ("  ", words.meaning), ("  What to do: ", words.next_step))
    else:
        raise UsageError(
            f'"{name}" is neither a scenario nor a finding nor a cause.',
            hint=did_you_mean(name, (*PROMISES, *causes))
            or "`memtru-ci scenarios` lists the scenarios; findings and causes are: "
            f"{', '.join(sorted(causes))}.",
        )


def _facts(promise: "Promise") -> dict[str, Any]:
    return {
        "id": promise.id,
        "title": promise.title,
        "suite": promise.suite,
        "severity": promise.severity,
        "finding": promise.finding.value,
        "needs": [sorted(one) for one in promise.needs],
        "steps": list(promise.steps),
    }


def _scenario_rows(promise: "Promise") -> Iterator[Row]:
    yield "", f"{promise.id}  {promise.title} (suite {promise.suite}, severity {promise.severity})"
    yield "", ""
    for number, step in enumerate(promise.steps, 1):
        yield f"  {number}. ", step
    yield "", ""
    yield "  Needs: ", ", ".join(" or ".join(sorted(one)) for one in promise.needs)
    yield "", ""
    yield from _finding_rows(promise.finding)


def _finding_rows(finding: Any) -> Iterator[Row]:
    from memtru_ci.domain.verdict import Cause
    from memtru_ci.reporters.words import (
        FINDINGS,
        WHAT_PASS_DOES_NOT_MEAN,
        WHAT_PASS_MEANS,
        WHAT_POLICY_PASS_MEANS,
    )

    words = FINDINGS[finding]
    is_policy = finding is Cause.POLICY_VIOLATED
    yield "", f"FAIL {finding.value}: {words.title} ({words.scenario})"
    yield "  ", words.meaning
    yield "  Why it matters: ", words.why
    yield "  How to avoid it: ", words.avoid
    yield "  What to do: ", words.next_step
    yield "", ""
    yield "", WHAT_POLICY_PASS_MEANS if is_policy else WHAT_PASS_MEANS
    yield "", WHAT_PASS_DOES_NOT_MEAN


def _print(*rows: Row) -> None:
    from memtru_ci.cli.layout import hung, width_of

    for head, text in rows:
        for line in hung(head, text, width_of(sys.stdout)):
            typer.echo(line)
