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


app.command("test")(test.command)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.command)
app.command("scenarios")(catalogue.scenarios)
app.command("explain")(catalogue.explain)
app.command("judge")(judge.judge)
app.command("serve")(serve.serve)
app.command("schema")(schema.schema)
app.command("clean")(clean.clean)
app.add_typer(policy.policy, name="policy")
