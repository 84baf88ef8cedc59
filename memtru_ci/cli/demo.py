"""`memtru-ci demo`: the broken store, the fixed store, and the comparison of both."""

from pathlib import Path
from typing import Annotated

import typer

from memtru_ci.errors import EXIT_FINDINGS


def demo(
    afterlife: Annotated[
        bool, typer.Option("--afterlife", help="Only the scenarios of the suite afterlife.")
    ] = False,
    output_dir: Annotated[
        Path, typer.Option(metavar="DIR", help="Where the reports are written.")
    ] = Path("memtru-results/demo"),
) -> None:
    """Test a broken store, then the fixed one, both built in; no Docker is needed.

    Exit 0 when the broken one failed and the fixed one passed, as they should.
    """
    from memtru_ci import assembly
    from memtru_ci.cli.console import watching
    from memtru_ci.cli.ending import show_ending

    with watching() as progress:
        shown = assembly.demo(output_dir, progress, suite="afterlife" if afterlife else "all")
    for name, report in (("broken", shown.broken), ("fixed", shown.fixed)):
        typer.echo(f"\n=== The {name} store ===")
        show_ending(report, output_dir / name)
    typer.echo(f"\n{shown.comparison}")
    if not shown.is_as_expected:
        typer.echo("The demo did not go as it should: see the reports.", err=True)
        raise typer.Exit(EXIT_FINDINGS)
