"""`memtru-ci schema`: the published formats."""

from collections.abc import Callable
from typing import Annotated

import typer

from memtru_ci.errors import UsageError


def schema(
    name: Annotated[str, typer.Argument(metavar="NAME", help="report, settings or openapi.")],
) -> None:
    """Print a schema: of report.json, of memtru.yml, or of the HTTP contract (OpenAPI 3.1)."""
    from memtru_ci.domain.nearest import did_you_mean

    if name not in SCHEMAS:
        known = ", ".join(SCHEMAS)
        raise UsageError(
            f'There is no schema "{name}".',
            hint=did_you_mean(name, SCHEMAS) or f"There are: {known}.",
        )
    typer.echo(SCHEMAS[name](), nl=False)


def _report() -> str:
    from memtru_ci.reporters.json import report_schema

    return report_schema()


def _settings() -> str:
    from memtru_ci.settings.page import schema as settings_schema

    return settings_schema()


def _openapi() -> str:
    import json

    from memtru_ci.contract.openapi import document

    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


SCHEMAS: dict[str, Callable[[], str]] = {
    "report": _report,
    "settings": _settings,
    "openapi": _openapi,
}
