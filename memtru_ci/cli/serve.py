"""`memtru-ci serve`: the reference service, or any Python adapter, over the HTTP contract."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtru_ci.errors import UsageError

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def serve(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[reference]", help="The built-in reference service."),
    ] = None,
    adapter: Annotated[
        str | None,
        typer.Option(metavar="PACKAGE.MODULE:CLASS", help="A Python adapter, instead."),
    ] = None,
    options: Annotated[
        str, typer.Option(metavar="JSON", help="Options that the adapter is made with.")
    ] = "{}",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 8080,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets others in.")] = "127.0.0.1",
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the reference keeps its database."),
    ] = None,
    defect: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", envvar="MEMTRU_DEFECT", help="A promise that the reference breaks."
        ),
    ] = None,
) -> None:
    """Serve the reference service or an adapter, until SIGTERM or Ctrl-C."""
    app = _adapter_app(what, adapter, options) if adapter else _reference(what, data, defect)
    from memtru_ci.adapters.serve import run

    run(app, host, port)


def _reference(what: str | None, data: Path | None, defect: str | None) -> "ASGIApp":
    if what != "reference":
        raise UsageError(
            f'"{what}" cannot be served.' if what else "It is not said what to serve.",
            hint="Write `serve reference`, or `serve --adapter PACKAGE.MODULE:CLASS`.",
        )
    from memtru_ci.reference.app import reference_app

    return reference_app(data, defect)


def _adapter_app(what: str | None, adapter: str, options: str) -> "ASGIApp":
    if what:
        raise UsageError(f'"{what}" and --adapter name two services.', hint="Keep one of them.")
    from memtru_ci.adapters.loading import load_adapter
    from memtru_ci.adapters.server import asgi_app

    return asgi_app(load_adapter(adapter, _options(options), search_in=Path.cwd()))


def _options(text: str) -> dict[str, Any]:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--options is not JSON: {error}.") from None
    if not isinstance(options, dict):
        raise UsageError("--options is not a JSON object.", hint='Write {"name": value}.')
    return options
