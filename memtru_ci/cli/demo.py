"""`memtru-ci demo`: the broken store, the fixed store, and the comparison of both."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtru_ci.errors import EXIT_FINDINGS

if TYPE_CHECKING:
    from memtru_ci.domain.report import Report
    from memtru_ci.ports import Progress


_STORES = {
    "broken": "which keeps no trace of a delete",
    "fixed": "which remembers each delete",
}


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

    shown = assembly.demo(
        output_dir, _watched, suites=["afterlife"] if afterlife else ["afterlife", "deletion"]
    )
    _show("broken", shown.broken, output_dir)
    if shown.fixed is not None:
        _show("fixed", shown.fixed, output_dir)
        typer.echo(f"\n{shown.comparison}")
    if not shown.is_as_expected:
        typer.echo("The demo did not go as it should: see the reports.", err=True)
        raise typer.Exit(EXIT_FINDINGS)


def _show(store: str, report: "Report", output_dir: Path) -> None:
    from memtru_ci.cli.ending import show_ending
    from memtru_ci.domain.telling import command_again

    typer.echo(f"\n=== The {store} store ===")
    show_ending(report, output_dir / store, command_again(report, report.settings.scenarios))


@contextmanager
def _watched(store: str) -> "Iterator[Progress]":
    from memtru_ci.cli.console import watching

    typer.echo(f"The {store} store, {_STORES[store]}:", err=True)
    with watching() as progress:
        yield progress
