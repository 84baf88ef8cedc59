"""The commands: what they print, and their exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtru_ci import __version__
from memtru_ci.cli import flags
from memtru_ci.cli.app import app
from memtru_ci.cli.failures import exit_code_of
from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Cause, Verdict
from memtru_ci.errors import EngineError, UsageError
from memtru_ci.scenarios import PROMISES
from memtru_ci.settings.options import OPTIONS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str


Cli = Callable[..., Said]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Said:
        code = exit_code_of(lambda: app(args=list(arguments), prog_name="memtru-ci"))
        captured = capsys.readouterr()
        return Said(code, captured.out, captured.err)

    return run


def process(*arguments: str, cwd: Path, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "memtru_ci", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )


def test_no_command_shows_help(cli: Cli) -> None:
    said = cli()
    assert said.code == 0
    assert "Commands:" in said.out
    assert "Exit codes: 0" in said.out


@pytest.mark.parametrize(
    "command",
    [
        "test",
        "demo",
        "doctor",
        "scenarios",
        "explain",
        "judge",
        "serve",
        "schema",
        "clean",
        "policy",
    ],
)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    said = cli(command, "--help")
    assert said.code == 0
    assert f"memtru-ci {command}" in said.out


def test_the_version_needs_no_library_of_a_run(tmp_path: Path) -> None:
    code = (
        "import sys; from memtru_ci.cli import main\n"
        "sys.argv = ['memtru-ci', '--version']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'docker', 'httpx', 'jinja2', 'sarif_om', 'pydantic', 'yaml', 'rich',"
        " 'starlette', 'uvicorn', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.splitlines() == [f"memtru-ci {__version__}", "[]"]


def test_every_flag_stands_for_a_setting_and_tells_its_default(cli: Cli) -> None:
    shown = " ".join(cli("test", "--help").out.split())
    for key, flag in flags.FLAGS.values():
        assert key in OPTIONS
        assert flag in shown
    for text in ("(default: 5)", "(default: 600)", "(default: medium)", "(default: 8080)"):
        assert text in shown


def test_a_run_without_a_target_says_how_to_name_one(cli: Cli) -> None:
    said = cli("test")
    assert said.code == 2
    assert said.err.startswith("memtru-ci: error: There is nothing to test")
    assert "--target" in said.err
    assert "--build-context" in said.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--target", "image:x", "--build-context", "."], "name two targets"),
        (["--target", "nonsense"], "a target begins with image:"),
        (["--target", "embedded:", "--scenario", "MT-AF-01"], 'Did you mean "MT-AF-001"?'),
        (["--target", "embedded:", "--window", "0.1"], "`--window`: 0.1 came"),
        (["--target", "embedded:", "--fail-on", "sometimes"], "`--fail-on`"),
        (["--target", "embedded:", "--env", "NOT_SET_ANYWHERE"], "no variable of this name"),
        (["--target", "embedded:", "--env", "A B=1"], "`--env`"),
        (["--target", "embedded:nope"], "no defect 'nope'"),
        (["--target", "embedded:", "--config", "missing.yml"], "does not exist"),
        (["--target", "embedded:", "--output-dir", "/proc/x"], "cannot be written"),
        (["--target", "embedded:", "--wndow", "3"], "No such option"),
        (["--target", "embedded:", "--port", "many"], "--port"),
        (["--build-context", "missing"], "is not a folder"),
        (["--target", "embedded:", "--config", "."], "is a folder, not a settings file"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_2(
    cli: Cli, arguments: list[str], expected: str
) -> None:
    said = cli("test", *arguments)
    assert said.code == 2
    assert expected in said.err
    assert "Traceback" not in said.err


def test_a_malformed_file_is_told_with_its_line(cli: Cli) -> None:
    Path("memtru.yml").write_text("target: embedded\nwindow: soon\n")
    said = cli("test")
    assert said.code == 2
    assert said.err == (
        'memtru-ci: error: memtru.yml:2: `window`: "soon" came; allowed: seconds, '
        "from 0.5 to 300.\n"
    )


def test_text_of_a_file_cannot_steer_the_terminal(cli: Cli) -> None:
    Path("memtru.yml").write_text('"\\e[31mred": 1\n')
    assert "\x1b" not in cli("test").err


def test_a_finding_is_exit_1_with_reports_and_a_command_to_run_it_again(cli: Cli) -> None:
    said = cli(
        *("test", "--target", "embedded:late_write_resurrection", "--scenario", "MT-AF-001"),
        *("--window", "0.5", "--env", "API_KEY=hunter2-hunter2"),
    )
    assert said.code == 1
    assert "FAIL         MT-AF-001" in said.out
    assert "late_write_resurrected, after release_pending_writes" in said.out
    assert "closed: MT-AF-001 is FAIL (high) (exit code 1)" in said.out
    again = " ".join(said.out.split("Again:")[1].split())
    assert again.startswith(
        "memtru-ci test --target embedded:late_write_resurrection --window 0.5 --env API_KEY "
        "--scenario MT-AF-001 --seed "
    )
    assert "hunter2" not in said.out + said.err
    assert Path("memtru-results/report.json").exists()
    assert all(len(line) <= 80 for line in (said.out + said.err).splitlines())


def test_a_pass_is_exit_0_and_quiet_says_only_the_verdict(cli: Cli) -> None:
    said = cli(
        *("test", "--target", "embedded:", "--scenario", "MT-DEL-003"),
        *("--window", "0.5", "--quiet"),
    )
    assert said.code == 0
    assert said.err == ""
    assert said.out.startswith("Verdict:  PASS")
    assert "Again" not in said.out


def test_json_gives_the_report_alone_on_standard_output(cli: Cli) -> None:
    said = cli(
        *("test", "--target", "embedded:", "--scenario", "MT-DEL-003"),
        *("--window", "0.5", "--json"),
    )
    assert Report.model_validate_json(said.out).verdict is Verdict.PASS
    assert "Verdict:  PASS" in said.err


def test_a_target_that_is_not_there_is_exit_4_with_one_message_and_a_report(cli: Cli) -> None:
    said = cli(*("test", "--target", "url:http://127.0.0.1:9", "--ready-timeout", "0.2", "--quiet"))
    assert said.code == 4
    errors = [line for line in said.err.splitlines() if line.startswith("memtru-ci: error")]
    assert len(errors) == 1
    report = Report.model_validate_json(Path("memtru-results/report.json").read_bytes())
    assert report.verdict is Verdict.ERROR


def test_an_engine_that_is_not_there_is_exit_4_and_names_the_way_out(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    said = cli("test", "--target", "image:acme/memory:1", "--quiet")
    assert said.code == 4
    assert "url:" in said.err
    assert "container:" in said.err
    assert "Traceback" not in said.err
    assert Path("memtru-results/report.json").exists()


def test_scenarios_are_listed(cli: Cli) -> None:
    shown = cli("scenarios").out
    assert all(one in shown for one in PROMISES)
    listed = json.loads(cli("scenarios", "--json").out)
    assert [one["id"] for one in listed] == list(PROMISES)
    assert all(one["steps"] for one in listed)


@pytest.mark.parametrize("name", [*PROMISES, *(one.value for one in Cause)])
def test_every_scenario_and_every_cause_is_explained(cli: Cli, name: str) -> None:
    said = cli("explain", name)
    assert said.code == 0
    assert "What to do" in said.out


def test_what_can_be_explained_is_listed_where_nothing_is_near(cli: Cli) -> None:
    said = cli("explain", "PASS")
    assert said.code == 2
    assert "target_lost" in said.err
    assert "memtru-ci scenarios" in said.err


def test_no_command_is_described_in_half(cli: Cli) -> None:
    commands = cli("--help").out.split("Commands:")[1]
    assert "..." not in commands


def test_a_run_says_at_once_what_kind_of_target_it_brings_up(cli: Cli) -> None:
    said = cli("test", "--target", "process:no-such-program", "--scenario", "deletion")
    assert said.err.startswith("Bringing up the target (process) ...\n")


def test_an_unknown_name_is_not_explained(cli: Cli) -> None:
    said = cli("explain", "bystander_lst")
    assert said.code == 2
    assert 'Did you mean "bystander_lost"?' in said.err


@pytest.mark.parametrize("name", ["report", "settings", "openapi"])
def test_a_schema_is_json(cli: Cli, name: str) -> None:
    assert isinstance(json.loads(cli("schema", name).out), dict)


def test_an_unknown_schema_is_an_error(cli: Cli) -> None:
    said = cli("schema", "reprt")
    assert said.code == 2
    assert 'Did you mean "report"?' in said.err


def test_a_report_is_judged_again(cli: Cli) -> None:
    cli(
        "test", "--target", "embedded:delete_ignored", "--scenario", "MT-DEL-003", "--window", "0.5"
    )
    said = cli("judge", "memtru-results/report.json")
    assert said.code == 0
    assert "The evidence gives what is stored: FAIL." in said.out


def test_an_edited_verdict_is_found_out(cli: Cli) -> None:
    cli(
        "test", "--target", "embedded:delete_ignored", "--scenario", "MT-DEL-003", "--window", "0.5"
    )
    path = Path("memtru-results/report.json")
    document = json.loads(path.read_text())
    document["verdict"] = document["results"][0]["verdict"] = "PASS"
    path.write_text(json.dumps(document))
    said = cli("judge", str(path))
    assert said.code == 1
    assert "MT-DEL-003" in said.out
    assert "FAIL" in said.out


def test_an_edited_decision_of_the_gate_is_found_out(cli: Cli) -> None:
    cli(
        "test", "--target", "embedded:delete_ignored", "--scenario", "MT-DEL-003", "--window", "0.5"
    )
    path = Path("memtru-results/report.json")
    document = json.loads(path.read_text())
    document["gate"] = {"open": True, "exit_code": 0, "reasons": []}
    path.write_text(json.dumps(document))
    said = cli("judge", str(path))
    assert said.code == 1
    assert "the report says open, exit code 0" in said.out


@pytest.mark.parametrize("text", ["", "{}", "[]", "not json", '{"schema_version": "1.0"}'])
def test_what_is_no_report_is_not_judged(cli: Cli, text: str) -> None:
    Path("report.json").write_text(text)
    said = cli("judge", "report.json")
    assert said.code == 2
    assert "is not a report" in said.err


def test_a_report_that_is_missing_is_an_error(cli: Cli) -> None:
    assert cli("judge", "missing.json").code == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "not said what to serve"),
        (["nonsense"], "cannot be served"),
        (["reference", "--adapter", "a:B"], "two services"),
        (["--adapter", "a:B", "--options", "{"], "is not JSON"),
        (["--adapter", "a:B", "--options", "[]"], "not a JSON object"),
        (["--adapter", "no_such_module_here:B"], "cannot be imported"),
        (["reference", "--defect", "nope"], "no defect 'nope'"),
    ],
)
def test_what_cannot_be_served_is_an_error(cli: Cli, arguments: list[str], expected: str) -> None:
    said = cli("serve", *arguments)
    assert said.code == 2
    assert expected in said.err


def fail_with(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def test_an_error_of_the_tree_gives_its_own_exit_code() -> None:
    assert exit_code_of(fail_with(UsageError("x"))) == 2
    assert exit_code_of(fail_with(EngineError("x"))) == 4


def test_an_error_in_a_group_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(fail_with(ExceptionGroup("tasks", [UsageError("inner")]))) == 2
    assert capsys.readouterr().err == "memtru-ci: error: inner\n"


def test_an_unexpected_error_asks_for_a_report_and_hides_its_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMTRU_DEBUG", raising=False)
    assert exit_code_of(fail_with(RuntimeError("boom"))) == 4
    said = capsys.readouterr().err
    assert "RuntimeError: boom" in said
    assert "fault of memtru-ci, please report" in said
    assert "Traceback" not in said


def test_the_traceback_is_there_for_who_asks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTRU_DEBUG", "1")
    assert exit_code_of(fail_with(RuntimeError("boom"))) == 4
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_neither_success_nor_a_finding() -> None:
    assert exit_code_of(fail_with(KeyboardInterrupt())) == 130


def test_a_reader_that_goes_away_changes_nothing(tmp_path: Path) -> None:
    arguments = ("test", "--target", "embedded:", "--scenario", "MT-DEL-003", "--window", "0.5")
    with process(*arguments, cwd=tmp_path) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        running.stderr.close()
        assert running.wait(timeout=30) == 0
    assert (tmp_path / "memtru-results/report.json").exists()


def test_ctrl_c_leaves_a_partial_report(tmp_path: Path) -> None:
    import signal

    with process("test", "--target", "embedded:", "--window", "30", cwd=tmp_path) as running:
        assert running.stderr is not None
        while "after_release" not in running.stderr.readline():
            pass
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert running.returncode == 3
    assert "it was told to stop (SIGINT)" in " ".join(out.split())
    assert "Traceback" not in err
    report = Report.model_validate_json((tmp_path / "memtru-results/report.json").read_bytes())
    assert report.interrupted
    assert len(report.results) == len(PROMISES)
