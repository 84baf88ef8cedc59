"""The policy commands, on both command lines: what they print, write and leave with."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memtru_ci.cli.app import app
from memtru_ci.cli.failures import exit_code_of
from memtru_ci.policy.__main__ import main
from tests.unit.policy_examples import assertion, at, tombstone

ROOT = Path(__file__).resolve().parents[2]
ASKED = ["--session", "s1", "--at", at(9)]

Run = Callable[..., tuple[int, str, str]]


def _typer(arguments: list[str]) -> int:
    return exit_code_of(lambda: app(args=["policy", *arguments], prog_name="memtru-ci"))


def _argparse(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as leaving:
        return int(leaving.code or 0)


@pytest.fixture(params=[_typer, _argparse], ids=["memtru-ci", "python -m"])
def run(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """One of the command lines, in a folder with a log of events."""
    monkeypatch.chdir(tmp_path)
    events = [
        assertion("a", value="lives in LISBON"),
        assertion("b", key="job", value="bakes \x1b[31mbread"),
        tombstone("d", target="a"),
        {"kind": "rumour"},
    ]
    Path("events.json").write_text(json.dumps({"events": events}))

    def perform(*arguments: str) -> tuple[int, str, str]:
        code = request.param(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return perform


def test_explain_says_what_is_selected_and_why_nothing_else_is(run: Run) -> None:
    code, out, err = run("explain", "events.json", *ASKED)
    assert code == 0
    assert "selected: b\n" in out
    assert "job = bakes \\x1b[31mbread" in out
    assert "not selected: a: deleted (deleted by tombstone d)" in out
    assert "rejected: events[3]: unknown_kind" in err


def test_explain_as_json_is_the_answer_of_the_contract(run: Run) -> None:
    code, out, _ = run(
        "explain", "events.json", *ASKED, "--query", "bakes", "--limit", "1", "--json"
    )
    answer = json.loads(out)
    assert code == 0
    assert answer["ids"] == ["b"]
    assert answer["exclusions"] == [{"id": "a", "reason": "deleted", "by": "d"}]
    assert answer["results"][0]["score"] > 0


def test_known_at_leaves_out_what_was_recorded_later(run: Run) -> None:
    _, out, _ = run("explain", "events.json", *ASKED, "--known-at", at(0))
    assert "selected: nothing" in out
    assert "b: unknown_yet" in out


def test_a_trace_replays_until_it_is_changed(run: Run) -> None:
    assert run("explain", "events.json", *ASKED, "--trace", "t.json")[0] == 0
    assert run("replay", "t.json")[:2] == (0, "t.json replays to the same.\n")
    Path("t.json").write_text(Path("t.json").read_text().replace("LISBON", "FARO"))
    code, out, _ = run("replay", "t.json")
    assert code == 1
    assert out == "events[0]: not what was sealed\nt.json differs from what follows from it.\n"


def test_an_export_replays_and_answers_without_what_was_deleted(run: Run) -> None:
    code, out, _ = run("export", "events.json", "out.json")
    assert (code, out) == (0, "out.json: 3 events, without what was deleted\n")
    assert "LISBON" not in Path("out.json").read_text()
    assert run("replay", "out.json")[0] == 0
    whole = run("explain", "events.json", *ASKED, "--json")
    assert run("explain", "out.json", *ASKED, "--json")[1] == whole[1]
    assert run("export", "out.json", "again.json")[0] == 0
    assert Path("again.json").read_bytes() == Path("out.json").read_bytes()


def test_an_export_is_also_made_of_a_trace(run: Run) -> None:
    run("explain", "events.json", *ASKED, "--query", "LISBON", "--trace", "t.json")
    assert run("export", "t.json", "out.json")[0] == 0
    assert "LISBON" not in Path("out.json").read_text()


def test_an_evaluation_prints_the_table_and_is_verified(run: Run) -> None:
    code, table, _ = run("evaluate", "out.json")
    assert code == 0
    assert "| Temporal policy and TF-IDF |" in table
    assert run("evaluate", "--verify", "out.json")[:2] == (
        0,
        f"{table}out.json is what the cases give now.\n",
    )
    saved = json.loads(Path("out.json").read_text())
    saved["matches"]["baseline"] += 1
    Path("out.json").write_text(json.dumps(saved))
    code, out, _ = run("evaluate", "out.json", "--verify")
    assert code == 1
    assert "matches.baseline" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["explain", "missing.json", *ASKED], "missing.json cannot be read"),
        (["explain", "events.json", "--session", "s1", "--at", "2026-01-01T00:00:00"], "naive"),
        (["explain", "events.json", *ASKED, "--limit", "-1"], "bad_limit"),
        (["explain", "events.json", *ASKED, "--limit", "many"], "--limit"),
        (["explain", "events.json"], "--session"),
        (["explain", "empty.json", *ASKED], "There are no events"),
        (["explain", "events.json", *ASKED, "--trace", "no/t.json"], "cannot be written"),
        (["replay", "events.json"], "neither a trace nor an export"),
        (["replay", "."], "cannot be read"),
        (["export", "events.json", "no/out.json"], "cannot be written"),
        (["evaluate", "events.json", "--verify"], "is no evaluation"),
        (["evaluate", "missing.json", "--verify"], "cannot be read"),
        (["evaluate", "no/out.json"], "cannot be written"),
        (["rumour"], "rumour"),
    ],
)
def test_wrong_usage_is_told_and_exits_2(run: Run, arguments: list[str], told: str) -> None:
    Path("empty.json").write_text("{}")
    code, _, err = run(*arguments)
    assert code == 2
    assert told in err
    assert "Traceback" not in err


def test_every_policy_command_has_help(run: Run) -> None:
    for command in ("explain", "replay", "export", "evaluate"):
        code, out, _ = run(command, "--help")
        assert (code, f"policy {command}" in out) == (0, True)


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """An interpreter that has the standard library and a copy of the source, and nothing else."""
    source = tmp_path / "source" / "memtru_ci"
    shutil.copytree(ROOT / "memtru_ci" / "policy", source / "policy")
    shutil.copy(ROOT / "memtru_ci" / "__init__.py", source)
    code = (
        f"import sys; sys.path.append({str(source.parent)!r}); from memtru_ci.policy.__main__ "
        "import main; code = main(sys.argv[1:]); foreign = {n.partition('.')[0] for n in "
        "sys.modules} - set(sys.stdlib_module_names) - {'memtru_ci', '__main__', '__mp_main__'}; "
        "print(sorted(foreign)); sys.exit(code)"
    )

    def perform(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return perform


def test_replay_and_evaluation_need_no_third_party_package(
    alone: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "events.json").write_text(json.dumps([assertion("a")]))
    for arguments in (
        ["evaluate", "out.json"],
        ["evaluate", "out.json", "--verify"],
        ["explain", "events.json", *ASKED, "--trace", "t.json"],
        ["export", "events.json", "export.json"],
        ["replay", "t.json"],
        ["replay", "export.json"],
    ):
        done = alone(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1] == "[]"


def test_the_module_runs_and_survives_a_stream_that_knows_only_ascii(tmp_path: Path) -> None:
    (tmp_path / "events.json").write_text(json.dumps([assertion("a", value="größer \U0001f600")]))
    done = subprocess.run(
        [sys.executable, "-m", "memtru_ci.policy", "explain", "events.json", *ASKED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "gr\\xf6\\xdfer \\U0001f600" in done.stdout
