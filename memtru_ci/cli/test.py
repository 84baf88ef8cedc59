"""`memtru-ci test`: the gate's main job."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtru_ci.cli.failures import say
from memtru_ci.cli.flags import FLAGS, help_of, overrides_of

if TYPE_CHECKING:
    from memtru_ci.domain.report import Report
    from memtru_ci.settings.file import LoadedSettings


def _flag(name: str, metavar: str, *more: str) -> Any:
    key, flag = FLAGS[name]
    return typer.Option(flag, *more, metavar=metavar, help=help_of(key), show_default=False)


def command(
    context: typer.Context,
    target: Annotated[str | None, _flag("target", "KIND:REST")] = None,
    build_context: Annotated[Path | None, _flag("build_context", "DIR")] = None,
    dockerfile: Annotated[str | None, _flag("dockerfile", "FILE")] = None,
    scenario: Annotated[list[str] | None, _flag("scenario", "ID|SUITE")] = None,
    require: Annotated[list[str] | None, _flag("require", "ID")] = None,
    port: Annotated[int | None, _flag("port", "NUMBER")] = None,
    window: Annotated[float | None, _flag("window", "SECONDS")] = None,
    timeout: Annotated[float | None, _flag("timeout", "SECONDS")] = None,
    env: Annotated[list[str] | None, _flag("env", "NAME[=VALUE]")] = None,
    fail_on: Annotated[str | None, _flag("fail_on", "SEVERITY")] = None,
    fail_on_inconclusive: Annotated[
        bool | None,
        typer.Option(
            "--fail-on-inconclusive/--no-fail-on-inconclusive",
            help=help_of("fail_on_inconclusive"),
            show_default=False,
        ),
    ] = None,
    egress: Annotated[str | None, _flag("egress", "none|bridge")] = None,
    health_path: Annotated[str | None, _flag("health_path", "PATH")] = None,
    ready_timeout: Annotated[float | None, _flag("ready_timeout", "SECONDS")] = None,
    output_dir: Annotated[str | None, _flag("output_dir", "DIR")] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="The settings file.", show_default=False),
    ] = None,
    seed: Annotated[int | None, _flag("seed", "NUMBER")] = None,
    sarif_category: Annotated[str | None, _flag("sarif_category", "NAME")] = None,
    anchor: Annotated[str | None, _flag("anchor", "PATH[:LINE]")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the verdict only.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report to standard output.")
    ] = False,
) -> None:
    """Test a memory service, write the reports, and open the gate or not.

    Options override memtru.yml. --scenario, --require and --env can be given several times.
    """
    from memtru_ci.settings.file import load

    loaded = load(Path(), config, overrides_of(context.params, os.environ))
    report = _performed(loaded, quiet=quiet)
    _show(report, loaded, quiet=quiet, as_json=as_json)
    raise typer.Exit(report.gate.exit_code)


def _performed(loaded: "LoadedSettings", *, quiet: bool) -> "Report":
    from memtru_ci import assembly
    from memtru_ci.cli.console import watching

    named = loaded.settings.target or ("build" if loaded.settings.build else "")
    if named and not quiet:  # its kind alone: the rest may hold a secret
        typer.echo(f"Bringing up the target ({named.partition(':')[0]}) ...", err=True)
    with watching(quiet=quiet) as progress:
        return assembly.test(loaded, progress)


def _show(
    report: "Report",
    loaded: "LoadedSettings",
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    from memtru_ci.cli.ending import not_passed, nothing_started, show_ending
    from memtru_ci.domain.telling import command_again
    from memtru_ci.reporters.json import JsonReporter

    command = command_again(report, not_passed(report) or report.settings.scenarios)
    folder = Path(loaded.settings.output_dir)
    show_ending(report, folder, command, quiet=quiet, on_stderr=as_json)
    if reason := nothing_started(report):
        say(f"error: {reason}")
    if as_json:
        typer.echo(JsonReporter().render(report), nl=False)
