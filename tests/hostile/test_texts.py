"""What a service says is text wherever it is shown: console, documents, and a job's log."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtru_ci.cli.failures import say
from memtru_ci.cli.layout import hung
from memtru_ci.reporters.text import terminal_safe
from memtru_ci.reporters.values import document
from memtru_ci.targets.spawned import free_port
from tests.unit.test_github_log import HOSTILE, commands_in

SERVICE = Path(__file__).resolve().parents[1] / "fixtures" / "hostile" / "service.py"
TOKEN = "s3kr1t/tok+en=="
ACTING = ("\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2066", "\u2028")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_wrapped_line_is_a_command(text: str) -> None:
    for width in range(40, 60):
        shown = "\n".join(hung("  detail  ", terminal_safe(f"said {text} {text}"), width))
        assert commands_in(shown) == []


def test_a_message_of_several_lines_holds_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    say("\n".join(["error: it said", *HOSTILE]), "##[error]hint")
    shown = capsys.readouterr().err
    assert commands_in(shown) == []
    assert "error" in shown


@pytest.mark.parametrize("text", [*HOSTILE, *ACTING, "##[[##[", "\\##[error]x", "a\\\x9bb"])
def test_json_that_is_printed_does_nothing_and_says_the_same(text: str) -> None:
    shown = document({"texts": [text], text: 1})
    assert json.loads(shown) == {"texts": [text], text: 1}
    assert commands_in(shown) == []
    assert not [one for one in ACTING if one in shown]


@dataclass(frozen=True)
class Ran:
    """A run of the command line against the hostile service."""

    exit_code: int
    console: str
    folder: Path

    @property
    def documents(self) -> dict[str, str]:
        """The documents by name."""
        return {one.name: one.read_text("utf-8") for one in self.folder.iterdir()}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """One run, with its report on standard output, too."""
    folder = tmp_path_factory.mktemp("hostile")
    target = f"process:{sys.executable} {SERVICE}"
    command = [sys.executable, "-m", "memtru_ci", "test", "--target", target, "--json"]
    command += ["--port", str(free_port()), "--window", "0.5", "--output-dir", str(folder / "out")]
    root = str(SERVICE.parents[3])
    environment = {**os.environ, "PYTHONPATH": root, "COLUMNS": "80"}
    done = subprocess.run(
        [*command, "--env", f"SAID_TOKEN={TOKEN}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout + done.stderr, folder / "out")


def test_each_scenario_of_a_hostile_service_has_its_verdict(ran: Ran) -> None:
    report = json.loads(ran.documents["report.json"])
    verdicts = {one["scenario"]: (one["verdict"], one["cause"]) for one in report["results"]}
    assert verdicts["MT-DEL-003"] == ("PASS", None)
    assert verdicts["MT-AF-001"] == ("ERROR", "provider_error")
    assert verdicts["MT-AF-002"] == ("ERROR", "target_lost")
    assert ran.exit_code == 4


def test_nothing_that_it_says_is_a_command_or_steers_a_terminal(ran: Ran) -> None:
    for text in (ran.console, *ran.documents.values()):
        assert "OWNED" in text
        assert commands_in(text) == []
        assert not [one for one in ACTING if one in text]


def test_its_summary_marks_nothing_up(ran: Ran) -> None:
    # What stands in `pre` is taken as it is; it is escaped, so that it cannot end before its end.
    summary = re.sub("(?s)<pre>.*?</pre>", "", ran.documents["summary.md"])
    assert "<script" not in summary
    assert "<img" not in summary
    assert not re.search(r"(?<!\\)\]\(", summary)
    assert "@OWNED" not in summary
    assert "://OWNED" not in summary
    assert summary.count("<details>") == summary.count("</details>")
    assert "pre>" not in summary


def test_a_secret_that_it_echoes_in_any_form_shows_up_nowhere(ran: Ran) -> None:
    forms = (
        TOKEN,
        "s3kr1t%2Ftok%2Ben%3D%3D",
        "czNrcjF0L3Rvaytlbj09",
        "73336b7231742f746f6b2b656e3d3d",
    )
    for text in (ran.console, *ran.documents.values()):
        assert not [one for one in forms if one in text]
    assert "[redacted]" in ran.documents["report.json"]
