"""`memtru-ci doctor`: which operations of a service work, and what is missing for what."""

import json
import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtru_ci.cli.flags import FLAGS, help_of, overrides_of

if TYPE_CHECKING:
    from memtru_ci.assembly import Check, Diagnosis

_SIGNS = {"works": "yes", "fails": "NO", "absent": "-", "untried": "untried"}
_WIDTHS = (23, 8, 29, 17)
_HEAD = ("Operation", "Works?", "What came", "Missing for")
_TOLD = 110
"""Characters of what came, in the table."""


def _flag(name: str, metavar: str) -> Any:
    key, flag = FLAGS[name]
    return typer.Option(flag, metavar=metavar, help=help_of(key), show_default=False)


def command(
    context: typer.Context,
    target: Annotated[str | None, _flag("target", "KIND:REST")] = None,
    build_context: Annotated[Path | None, _flag("build_context", "DIR")] = None,
    dockerfile: Annotated[str | None, _flag("dockerfile", "FILE")] = None,
    port: Annotated[int | None, _flag("port", "NUMBER")] = None,
    window: Annotated[float | None, _flag("window", "SECONDS")] = None,
    timeout: Annotated[float | None, _flag("timeout", "SECONDS")] = None,
    env: Annotated[list[str] | None, _flag("env", "NAME[=VALUE]")] = None,
    egress: Annotated[str | None, _flag("egress", "none|bridge")] = None,
    health_path: Annotated[str | None, _flag("health_path", "PATH")] = None,
    ready_timeout: Annotated[float | None, _flag("ready_timeout", "SECONDS")] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="The settings file.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Try each operation of a service once, and tell what works and what is missing.

    Exit 0 where all that is offered works, 3 where some of it does not, 4 where nothing does.
    """
    from memtru_ci import assembly
    from memtru_ci.settings.file import load

    loaded = load(Path(), config, overrides_of(context.params, os.environ))
    diagnosis = assembly.examine(loaded)
    if as_json:
        typer.echo(json.dumps(diagnosis.document(), indent=2))
    else:
        _show(diagnosis)
    raise typer.Exit(diagnosis.exit_code)


def _show(diagnosis: "Diagnosis") -> None:
    from memtru_ci.cli.layout import hung, width_of

    for line in table_of(diagnosis.checks):
        typer.echo(line)
    for check in diagnosis.failing:
        for head, text in _trouble_rows(check):
            for line in hung(head, text, width_of(sys.stdout)):
                typer.echo(line)
    for head, text in _ending(diagnosis):
        for line in hung(head, text, width_of(sys.stdout)):
            typer.echo(line)


def table_of(checks: "tuple[Check, ...]") -> Iterator[str]:
    """The table, at most 80 columns wide."""
    from memtru_ci.reporters.text import shortened, terminal_safe

    yield from _row(_HEAD)
    for one in checks:
        came = shortened(terminal_safe(one.came), _TOLD)
        missing = ", ".join(one.missing_for)
        yield from _row((terminal_safe(one.operation), _SIGNS[one.state], came, missing))


def _row(texts: tuple[str, ...]) -> Iterator[str]:
    columns = [
        textwrap.wrap(text, width, break_on_hyphens=False) or [""]
        for text, width in zip(texts, _WIDTHS, strict=True)
    ]
    for number in range(max(map(len, columns))):
        cells = [column[number] if number < len(column) else "" for column in columns]
        padded = (cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True))
        yield " ".join(padded).rstrip()


def _trouble_rows(check: "Check") -> Iterator[tuple[str, str]]:
    from memtru_ci.reporters.text import terminal_safe

    trouble = check.trouble
    if trouble is None:
        return
    yield "", ""
    yield "", f"{terminal_safe(check.operation)} does not work"
    yield "  request  ", terminal_safe(trouble.request)
    yield "  answer   ", terminal_safe(trouble.answer)
    yield "  problem  ", terminal_safe(trouble.problem)


def _ending(diagnosis: "Diagnosis") -> Iterator[tuple[str, str]]:
    from memtru_ci.reporters.text import terminal_safe

    yield "", ""
    for left in diagnosis.left_behind:
        yield "Left:     ", f"{left} (`memtru-ci clean` tries again)"
    service = terminal_safe(diagnosis.service) or "no service that answers"
    failing = ", ".join(terminal_safe(one.operation) for one in diagnosis.failing)
    state = f"these do not work: {failing}" if failing else "all that it offers works"
    yield "Doctor:   ", f"{terminal_safe(diagnosis.target)} ({service}): {state}"
