"""`memtru-ci clean`: removes what runs left in the Docker Engine."""

from typing import Annotated

import typer


def clean(
    run: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Only what this run left.", show_default=False),
    ] = None,
) -> None:
    """Remove containers, networks, volumes and images that carry the gate's labels.

    Without --run that means those of every run on this engine, also of one that still goes on.
    """
    from memtru_ci.assembly import clean as removed_by_label

    removed = removed_by_label(run)
    for name in removed:
        typer.echo(f"removed {name}")
    if not removed:
        typer.echo("nothing was left behind")
