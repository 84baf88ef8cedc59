"""The action on sample repositories, run as GitHub's runner does.

MEMTRU_RUN_ACTION names the emulator of the runner, and MEMTRU_CHECK_SARIF, where it is set, a
checker of what code scanning takes in.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.examples_of_services import example

ROOT = Path(__file__).resolve().parents[2]
NOTES = ROOT / "tests" / "fixtures" / "notes"
HOSTILE = ROOT / "tests" / "fixtures" / "hostile"
RUNNER = os.environ.get("MEMTRU_RUN_ACTION", "")
CHECKER = os.environ.get("MEMTRU_CHECK_SARIF", "")

pytestmark = [
    pytest.mark.integration,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not RUNNER, reason="MEMTRU_RUN_ACTION names no emulator of the runner"),
]


@dataclass(frozen=True)
class Case:
    """A sample repository, the inputs of the step, and what has to come out."""

    name: str
    repository: Path
    inputs: tuple[str, ...]
    expect: dict[str, dict[str, str]]


def notes_case(dockerfile: str) -> Case:
    expected = json.loads((NOTES / "expected.json").read_text())[dockerfile]
    inputs = ("build-context=.", f"dockerfile={dockerfile}", "consistency-window=2")
    return Case(f"notes-{dockerfile}", NOTES, inputs, expected["expect"])


def example_case(name: str) -> Case:
    one = example(name)
    config = one.config.relative_to(ROOT)
    return Case(name, ROOT / "examples", (f"config={config}",), one.expect)


REPRESENTATIVE = (
    "langgraph-with-tombstones",
    "langgraph-without-tombstones",
    "check-then-write-model-buggy",
    "check-then-write-model-fixed",
    "check-then-write-store-buggy",
    "server-memory",
)
"""The contract, a mapping with the gate's hold, sidecars, MCP; the command line runs every one."""

CASES = [
    notes_case("Dockerfile"),
    notes_case("Dockerfile.blind"),
    *(example_case(name) for name in REPRESENTATIVE),
]


def checkout(case: Case, workspace: Path) -> None:
    """Lays the repository out as actions/checkout would, an example at its own path."""
    target = workspace if case.repository == NOTES else workspace / case.repository.name
    shutil.copytree(case.repository, target, ignore=shutil.ignore_patterns("__pycache__", ".venv"))


def run_action(workspace: Path, result: Path, *arguments: str) -> dict[str, Any]:
    image = os.environ.get("MEMTRU_IMAGE")
    command = [sys.executable, RUNNER, str(ROOT), "--workspace", str(workspace), "--in-place"]
    command += ["--json", str(result), *(["--image", image] if image else []), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800)
    assert result.exists(), done.stdout + done.stderr
    document: dict[str, Any] = json.loads(result.read_text())
    return document


def own_leftovers(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What is left of this run; others may use the same engine at the same time."""
    run_id = document["stages"][0]["state"]["run_id"]
    return [one for one in document["left_behind"] if one["labels"].get("io.memtru.run") == run_id]


def short(results: dict[str, dict[str, Any]], expect: dict[str, dict[str, str]]) -> object:
    """The results, reduced to what is expected of each."""
    return {name: {key: results[name][key] for key in want} for name, want in expect.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_action_gives_the_expected_verdict_on(case: Case, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    checkout(case, workspace)
    document = run_action(workspace, tmp_path / "result.json", "--with", *case.inputs)
    main = document["stages"][0]
    log = "\n".join(main["log"])
    outputs = main["outputs"]
    failing = any(want["verdict"] == "FAIL" for want in case.expect.values())

    assert main["exit_code"] == (1 if failing else 0), log
    assert outputs["exit-code"] == str(main["exit_code"])
    assert outputs["verdict"] == ("fail" if failing else "pass")
    assert outputs["sarif-upload"] == "true"
    report = json.loads((workspace / outputs["report-file"]).read_text())
    results = {result["scenario"]: result for result in report["results"]}
    assert short(results, case.expect) == case.expect
    assert int(outputs["findings"]) == sum(r["verdict"] == "FAIL" for r in results.values())
    assert main["summary"]["uploaded"]
    annotated = " ".join(n.get("title", "") for n in main["annotations"] if n["type"] == "error")
    for name, want in case.expect.items():
        assert (name in annotated) == (want["verdict"] == "FAIL")
    assert own_leftovers(document) == []
    assert document["stages"][-1]["stage"] == "post"
    assert document["stages"][-1]["exit_code"] == 0

    check_sarif(workspace, outputs["sarif-file"])


def check_sarif(workspace: Path, sarif: str) -> None:
    if not CHECKER:
        return
    done = subprocess.run(
        [sys.executable, CHECKER, sarif, "--root", "."],
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_a_docker_socket_the_action_names_the_way_out(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    checkout(CASES[0], workspace)
    inputs = CASES[0].inputs
    document = run_action(workspace, tmp_path / "r.json", "--no-socket", "--with", *inputs)
    main = document["stages"][0]
    log = "\n".join(main["log"])
    assert main["exit_code"] == 4, log
    assert main["outputs"]["sarif-upload"] == "false"
    assert "url:" in log
    assert "container:" in log
    assert document["stages"][-1]["exit_code"] == 0


@pytest.mark.parametrize("inputs", [("fail-on=sometimes",), ("summary=perhaps",), ("port=http",)])
def test_a_wrong_input_is_exit_code_2_and_one_clear_line(
    inputs: tuple[str, ...], tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    checkout(CASES[0], workspace)
    document = run_action(workspace, tmp_path / "r.json", "--with", *CASES[0].inputs, *inputs)
    main = document["stages"][0]
    log = "\n".join(main["log"])
    assert main["exit_code"] == 2, log
    assert inputs[0].partition("=")[0] in log
    assert "Traceback" not in log


def test_a_cancelled_step_leaves_nothing_behind(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    checkout(CASES[0], workspace)
    inputs = ("build-context=.", "consistency-window=30")
    document = run_action(workspace, tmp_path / "r.json", "--cancel-after", "15", "--with", *inputs)
    main = document["stages"][0]
    assert main["outcome"] == "cancelled"
    assert main["ended_by"] == "SIGINT", "\n".join(main["log"])
    assert own_leftovers(document) == []


def test_files_in_the_workspace_belong_to_its_owner(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    checkout(CASES[0], workspace)
    document = run_action(
        workspace, tmp_path / "r.json", "--owner", "1001:1001", "--with", *CASES[0].inputs
    )
    written = [change for change in document["workspace"] if change["path"] != "."]
    assert written
    assert {change["owner"] for change in written} == {"1001:1001"}


def test_the_action_works_in_a_job_with_a_network_of_its_own(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    checkout(CASES[0], workspace)
    document = run_action(
        workspace, tmp_path / "r.json", "--network", "job", "--with", *CASES[0].inputs
    )
    assert document["stages"][0]["exit_code"] == 0, "\n".join(document["stages"][0]["log"])


def test_a_service_that_talks_in_commands_commands_nothing(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(HOSTILE, workspace)
    inputs = ("build-context=.", "consistency-window=1")
    document = run_action(workspace, tmp_path / "result.json", "--with", *inputs)
    main = document["stages"][0]
    log = "\n".join(main["log"])

    assert main["exit_code"] == 4, log
    assert "OWNED" in log
    assert not [line for line in main["log"] if line.strip() in ("::error::OWNED", "OWNED")]
    assert "OWNED" not in json.dumps(main["outputs"])
    assert list(main["state"]) == ["run_id"]
    assert (main["env"], main["path"]) == ({}, [])
    assert "memtru" in log  # the service asks for it to be masked
    titles = [one["title"] for one in main["annotations"]]
    assert titles[:2] == ["MT-AF-001 ERROR", "MT-AF-002 ERROR"]
    assert [one for one in titles[2:] if not one.endswith(" SKIPPED")] == []
    assert main["summary"]["uploaded"]
    assert own_leftovers(document) == []
    check_sarif(workspace, main["outputs"]["sarif-file"])
