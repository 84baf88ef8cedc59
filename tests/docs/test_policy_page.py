"""What the page on the temporal policy says is what the engine does."""

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtru_ci.policy import answer, evaluate, events, fields, instants
from memtru_ci.policy.query import Query

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "policy.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, text in BLOCKS if not language for line in text.splitlines()]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """Every command of the page, performed one after another in a folder with the examples."""
    folder = tmp_path_factory.mktemp("policy")
    shutil.copytree(ROOT / "examples" / "policy", folder / "examples" / "policy")
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "policy-evaluation.json", folder / "docs")
    return {command: _performed(command, folder) for command in COMMANDS}


def _performed(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = {"memtru-ci": f"{sys.executable} -m memtru_ci", "python": sys.executable}
    name, rest = command.split(" ", 1)
    return subprocess.run(
        f"{program[name]} {rest}",
        shell=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_does_what_it_says(
    said: dict[str, subprocess.CompletedProcess[str]], command: str
) -> None:
    assert said[command].returncode == 0, said[command].stdout + said[command].stderr
    assert said[command].stderr == ""


def test_the_page_shows_what_the_first_command_prints(
    said: dict[str, subprocess.CompletedProcess[str]],
) -> None:
    (shown,) = re.findall(r"<!-- explain -->\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert said[COMMANDS[0]].stdout == shown


@pytest.mark.parametrize("page", ["README.md", "docs/policy.md"])
def test_the_table_of_the_evaluation_is_what_is_measured(page: str) -> None:
    text = (ROOT / page).read_text()
    (shown,) = re.findall(r"<!-- evaluation -->\n(.*?)\n<!-- /evaluation -->", text, re.DOTALL)
    assert shown.splitlines() == evaluate.table(evaluate.evaluate())


def test_the_code_of_the_page_runs() -> None:
    (code,) = (text for language, text in BLOCKS if language == "python")
    names: dict[str, Any] = {}
    exec(compile(code, "docs/policy.md", "exec"), names)
    assert names["reason"] is None
    assert names["answer"].ids == ("e1",)


def test_the_page_knows_every_reason_scope_limit_and_code() -> None:
    for word in (*answer.REASONS, events.RECORD, events.CHAIN, events.KEY, events.IDS):
        assert f"`{word}`" in PAGE
    for code in ("naive_timestamp", "bad_timestamp", "bad_interval", "id_conflict"):
        assert f"`{code}`" in PAGE
    assert f"{fields.LARGEST_VALUE:,}".replace(",", " ") in PAGE
    assert f"1 to {fields.LONGEST_NAME} characters, a source 1 to {fields.LONGEST_SOURCE}" in PAGE


def test_the_page_has_each_rule_by_its_number() -> None:
    numbers = [int(one) for one in re.findall(r"^(\d+)\. \*\*", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, 15))


def test_the_surprise_of_the_page_is_what_happens() -> None:
    from memtru_ci.policy import documents, log

    store, _ = log.read(log.events_of(documents.read(ROOT / "examples/policy/events.json")))
    asked = Query("alex", datetime(2026, 6, 10, tzinfo=UTC), text="lives")
    assert store.query(asked).ids == ("e4",)
    newest = {"id": "d1", "kind": "tombstone", "scope": "record", "target": "e4"}
    common = {"session": "alex", "source": "test", "recorded_at": instants.text_of(asked.at)}
    assert store.add(newest | common) is None
    assert store.query(asked).ids == ("e3",)
    of_key = {"id": "d2", "kind": "tombstone", "scope": "key", "key": "city"}
    assert store.add(of_key | common) is None
    assert store.query(asked).ids == ()
