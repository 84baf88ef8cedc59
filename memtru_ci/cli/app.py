"""The commands, by name."""

from typing import Annotated

import typer

from memtru_ci import __version__
from memtru_ci.cli import catalogue, clean, demo, doctor, judge, policy, schema, serve, test

app = typer.Typer(
    name="memtru-ci",
    help="Does a deleted memory stay deleted? A CI gate for the memory of AI agents.",
    epilog="Exit codes: 0 the gate is open; 1 findings; 2 wrong usage; 3 nothing failed, but not "
    "everything was proven; 4 the target or Docker could not be used.",
    no_args_is_help=False,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"memtru-ci {__version__}")
        raise typer.Exit


@app.callback()
def _begin(
    context: typer.Context,
    version: Annotated[  # its callback has done all there is to do
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("test", short_help="Test a memory service; the exit code is the gate.")(test.command)
app.command("demo", short_help="Test a broken store, then the fixed one, both built in.")(demo.demo)
app.command("doctor", short_help="Try each operation of a service once.")(doctor.command)
app.command("scenarios")(catalogue.scenarios)
app.command("explain", short_help="Explain a scenario, a finding or a cause.")(catalogue.explain)
app.command("judge", short_help="Judge a saved report again, from its evidence.")(judge.judge)
app.command("serve", short_help="Serve the reference service, or a Python adapter.")(serve.serve)
app.command("schema", short_help="Print a schema, of reports, settings or the contract.")(
    schema.schema
)
app.command("clean", short_help="Remove what an interrupted run left in Docker.")(clean.clean)
app.add_typer(
    policy.policy, name="policy", short_help="Explain, replay and evaluate the temporal policy."
)
