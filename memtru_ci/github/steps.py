"""The two steps of the action: the run, and the cleaning up after it."""

import os
import re
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from memtru_ci import assembly
from memtru_ci.domain.report import Report
from memtru_ci.errors import EXIT_INFRASTRUCTURE, EXIT_OPEN, MemtruError, innermost
from memtru_ci.github.annotations import annotate
from memtru_ci.github.files import add_summary, set_values
from memtru_ci.github.inputs import Inputs, read_inputs, variable_of
from memtru_ci.github.log import Log
from memtru_ci.github.outputs import outputs_of, outputs_without_run
from memtru_ci.github.progress import LogProgress
from memtru_ci.github.workspace import hand_over, is_empty, output_folder, workspace_of
from memtru_ci.ports import Progress
from memtru_ci.reporters import REPORTERS
from memtru_ci.reporters.text import markdown_safe
from memtru_ci.reporters.words import SIGNS, headline_of
from memtru_ci.settings.file import LoadedSettings, load

_RUN_ID = "run_id"
_RUN_ID_FORM = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class Performing(Protocol):
    """What performs a run and writes its reports: `assembly.test`."""

    def __call__(
        self,
        settings: LoadedSettings,
        progress: Progress,
        *,
        environment: Mapping[str, str],
        run_id: str,
    ) -> Report: ...


def main_step(
    environ: Mapping[str, str] = os.environ,
    log: Log | None = None,
    perform: Performing = assembly.test,
) -> int:
    """Perform the run that the inputs ask for; the exit code is the gate's."""
    out = log or Log()
    try:
        return _run(environ, out, perform)
    except Exception as error:
        inner = innermost(error)
        if isinstance(inner, MemtruError):
            return _refused(environ, out, inner)
        return _broken(environ, out, error)


def post_step(environ: Mapping[str, str] = os.environ, log: Log | None = None) -> int:
    """Remove by its label what the main step may have left. Never fails the job."""
    out = log or Log()
    run_id = environ.get(f"STATE_{_RUN_ID}", "")
    if not _RUN_ID_FORM.fullmatch(run_id):
        out.line("memtru-ci: no run was begun, so there is nothing to clean up.")
        return EXIT_OPEN
    try:
        for removed in assembly.clean(run_id):
            out.line(f"memtru-ci: removed {removed}")
    except Exception as error:  # whatever it is: the job's result has been decided
        out.line(f"memtru-ci: not cleaned up: {error}")
    return EXIT_OPEN


def _run(environ: Mapping[str, str], log: Log, perform: Performing) -> int:
    inputs = read_inputs(environ)
    log.mask(inputs.env.values())
    workspace = workspace_of(environ)
    os.chdir(workspace)  # so that every path in report and messages is the repository's own
    loaded = load(Path(), Path(inputs.config) if inputs.config else None, inputs.overrides)
    _warn(log, inputs, workspace)
    log.mask(_secrets(loaded, environ))
    folder = output_folder(workspace, loaded.settings.output_dir)
    run_id = assembly.new_run_id()
    set_values("GITHUB_STATE", environ, {_RUN_ID: run_id})
    try:
        report = perform(loaded, LogProgress(log), environment=environ, run_id=run_id)
    finally:
        log.close_group()
        for refused in hand_over(workspace, folder, REPORTERS):
            log.line(f"memtru-ci: still owned by root: {refused}")
    set_values("GITHUB_OUTPUT", environ, outputs_of(report, folder.path, workspace))
    _tell(environ, log, inputs, report, folder.path)
    return report.gate.exit_code


def _tell(
    environ: Mapping[str, str], log: Log, inputs: Inputs, report: Report, folder: Path
) -> None:
    for result in report.results:
        if result.log_tail:
            log.foreign(f"Last log lines of the service in {result.scenario}", result.log_tail)
    if inputs.annotations:
        annotate(log, report, folder / "memtru.sarif")
    if inputs.summary:
        add_summary(environ, (folder / "summary.md").read_text("utf-8"))
    state = "open" if report.gate.open else f"closed: {'; '.join(report.gate.reasons)}"
    log.line(f"{SIGNS[report.verdict]} {report.verdict.value}: {headline_of(report)}.")
    log.line(f"The gate is {state} (exit code {report.gate.exit_code}).")


def _refused(environ: Mapping[str, str], log: Log, error: MemtruError) -> int:
    """Tell the user what to change, in the log, as an annotation and in the summary."""
    log.close_group()
    log.command("error", str(error), title="memtru-ci")
    if environ.get(variable_of("summary")) != "false":
        told = "\n\n".join(markdown_safe(part) for part in (error.message, error.hint) if part)
        add_summary(environ, f"# 💥 ERROR: nothing was tested\n\n{told}\n")
    set_values("GITHUB_OUTPUT", environ, outputs_without_run(error.exit_code))
    return error.exit_code


def _broken(environ: Mapping[str, str], log: Log, error: BaseException) -> int:
    log.close_group()
    if environ.get("RUNNER_DEBUG") == "1":
        log.foreign("Where it happened", "".join(traceback.format_exception(error)))
    inner = innermost(error)
    what = f"{type(inner).__name__}: {inner}. This is a fault of memtru-ci, please report it."
    log.command("error", what, title="memtru-ci")
    set_values("GITHUB_OUTPUT", environ, outputs_without_run(EXIT_INFRASTRUCTURE))
    return EXIT_INFRASTRUCTURE


def _warn(log: Log, inputs: Inputs, workspace: Path) -> None:
    for warning in inputs.warnings:
        log.command("warning", warning, title="memtru-ci")
    if is_empty(workspace):
        log.command(
            "warning",
            "The workspace is empty. Check the repository out first; a runner that is a container "
            "itself has to share its work folder with Docker under the same path.",
            title="memtru-ci",
        )


def _secrets(loaded: LoadedSettings, environ: Mapping[str, str]) -> list[str]:
    names = [*loaded.settings.secrets, loaded.settings.token_env or ""]
    return [environ[name] for name in names if environ.get(name)]
