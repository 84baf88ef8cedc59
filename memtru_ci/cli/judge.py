"""`memtru-ci judge`: makes the verdicts of a saved report again, from its evidence alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtru_ci.errors import EXIT_FINDINGS, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memtru_ci.domain.report import GateFacts, Report, ScenarioResult

LARGEST_REPORT = 512 * 1024 * 1024


def judge(
    report: Annotated[Path, typer.Argument(metavar="REPORT.JSON", help="A report of the gate.")],
) -> None:
    """Judge a saved report again; exit 1 where the result differs from what is stored.

    Stored verdicts, causes, triggers, visibility flags and the gate's decision are ignored.
    """
    from memtru_ci.domain.folding import told_of
    from memtru_ci.domain.rejudge import rejudge
    from memtru_ci.reporters.text import command_free, terminal_safe
    from memtru_ci.scenarios import PROMISES

    saved = read_report(report)
    again = rejudge(saved, PROMISES)
    differences = [*map(str, again.differences), *gate_differences(saved, again.results)]
    for one in differences:
        typer.echo(command_free(terminal_safe(one)))
    if differences:
        typer.echo("The stored verdicts do not follow from the evidence.")
        raise typer.Exit(EXIT_FINDINGS)
    for name, verdict, reason in told_of(again.results):
        typer.echo(command_free(terminal_safe(f"{verdict:<13}{name}  {reason}")))
    typer.echo(f"The evidence gives what is stored: {saved.verdict}.")


def gate_differences(saved: "Report", results: "Sequence[ScenarioResult]") -> "Iterator[str]":
    """Where the stored decision of the gate is not what the results lead to."""
    from memtru_ci.gate import decide

    decided = decide(results, saved.settings, saved.interrupted)
    if decided != saved.gate:
        yield (
            f"the gate: the report says {_said(saved.gate)}, the results lead to {_said(decided)}"
        )


def _said(gate: "GateFacts") -> str:
    state = "open" if gate.open else f"closed ({'; '.join(gate.reasons)})"
    return f"{state}, exit code {gate.exit_code}"


def read_report(path: Path) -> "Report":
    """A report from its file; raises `UsageError` where it is none."""
    from pydantic import ValidationError

    from memtru_ci.domain.report import Report

    try:
        if path.stat().st_size > LARGEST_REPORT:
            raise UsageError(f"{path} is too large for a report.")
        return Report.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(one) for one in first["loc"]) or "the document"
        raise UsageError(
            f"{path} is not a report of this version: {place}: {first['msg']}.",
            hint="`memtru-ci schema report` prints the format.",
        ) from None
