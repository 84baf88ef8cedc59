"""`memtru-ci policy`: explain, replay, export and evaluate the temporal policy."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtru_ci.errors import UsageError

if TYPE_CHECKING:
    from memtru_ci.policy.commands import Outcome

policy = typer.Typer(
    help="Ask a log of policy events, check traces and exports, evaluate the engine.",
    no_args_is_help=False,
    invoke_without_command=True,
    rich_markup_mode=None,
)

Log = Annotated[
    Path, typer.Argument(metavar="EVENTS.JSON", help="A log of events, a trace or an export.")
]


@policy.callback()
def _begin(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@policy.command("explain")
def explain(
    events: Log,
    session: Annotated[str, typer.Option(metavar="NAME", help="Whose facts.")],
    at: Annotated[str, typer.Option(metavar="INSTANT", help="Valid time, with an offset.")],
    known_at: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="Leave out what was recorded later.")
    ] = None,
    query: Annotated[str | None, typer.Option(metavar="TEXT", help="Rank by these words.")] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most so many ids.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
    trace: Annotated[
        Path | None, typer.Option(metavar="OUT.JSON", help="Also write a trace to replay.")
    ] = None,
) -> None:
    """Ask a session, and say why each other fact is not selected."""
    from memtru_ci.policy import commands

    asked = {"session": session, "at": at, "known_at": known_at, "query": query, "limit": limit}
    _tell(lambda: commands.explain_file(events, asked, as_json=as_json, out=trace))


@policy.command("replay")
def replay(
    file: Annotated[Path, typer.Argument(metavar="TRACE.JSON", help="A trace or an export.")],
) -> None:
    """Recompute a trace or an export; exit 1 and name what differs."""
    from memtru_ci.policy import commands

    _tell(lambda: commands.replay_file(file))


@policy.command("export")
def export(
    events: Log,
    out: Annotated[Path, typer.Argument(metavar="OUT.JSON", help="Where the export goes.")],
) -> None:
    """Write the events without anything that was deleted; it answers the same."""
    from memtru_ci.policy import commands

    _tell(lambda: commands.export_file(events, out))


@policy.command("evaluate")
def evaluate(
    file: Annotated[Path, typer.Argument(metavar="OUT.JSON", help="The saved evaluation.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Check OUT.JSON; exit 1 and name what differs.")
    ] = False,
) -> None:
    """Run every case with the engine and a baseline, and save every answer."""
    from memtru_ci.policy import commands

    _tell(lambda: commands.evaluate_file(file, verify=verify))


def _tell(run: "Callable[[], Outcome]") -> None:
    from memtru_ci.policy.documents import Unusable
    from memtru_ci.reporters.text import terminal_safe

    try:
        outcome = run()
    except Unusable as unusable:
        raise UsageError(unusable.message, hint=unusable.hint) from None
    for note in outcome.notes:
        typer.echo(terminal_safe(note), err=True)
    for line in outcome.lines:
        indent = line[: len(line) - len(line.lstrip())]
        typer.echo(indent + terminal_safe(line))
    if outcome.code:
        raise typer.Exit(outcome.code)
