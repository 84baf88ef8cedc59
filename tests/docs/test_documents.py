"""What the documents say is what the code does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from memtru_ci.domain.holding import LEVELS
from memtru_ci.domain.verdict import Cause
from memtru_ci.reference.defects import DEFECTS
from memtru_ci.reporters.words import page_of
from memtru_ci.scenario import AnyScenario
from memtru_ci.scenarios import SCENARIOS, SUITES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
CI = (ROOT / ".ci" / "run").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def _blocks(text: str, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for of, block in found if of == language]


def _commands(text: str, program: str) -> list[str]:
    lines = [
        line.split("    #")[0].strip() for one in _blocks(text, "") for line in one.splitlines()
    ]
    return [line for line in lines if line.startswith(program)]


def test_the_first_two_commands_of_the_readme_are_demo_and_test() -> None:
    assert [line.split()[:2] for line in _blocks(README, "")[0].splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]


def test_ci_runs_the_first_two_commands_of_the_readme() -> None:
    assert re.search(r"^make demo$", CI, re.MULTILINE)
    assert re.search(r"^make check\b", CI, re.MULTILINE)
    assert re.search(r"^check:.*\btest\b", MAKEFILE, re.MULTILINE)


LOCAL = [one for one in _commands(README, "memtru-ci") if "--config" not in one]


@pytest.fixture(scope="module")
def a_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the commands of the README run one after another."""
    return tmp_path_factory.mktemp("readme")


def _exit_code(command: str) -> int:
    """What the README says that the command comes to."""
    if ":late_write" in command or ":history" in command or ":delete_ignored" in command:
        return 1
    if ":append_only" in command:
        return 1
    return 0


@pytest.mark.timeout(120)
@pytest.mark.parametrize("command", LOCAL)
def test_a_command_of_the_readme_does_what_it_says(command: str, a_place: Path) -> None:
    arguments = command.split()[1:]
    quick = ["--window", "1"] if arguments[0] == "test" and "--window" not in arguments else []
    done = subprocess.run(
        [sys.executable, "-m", "memtru_ci", *arguments, *quick],
        cwd=a_place,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == _exit_code(command), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_readme_has_commands_to_run() -> None:
    assert len(LOCAL) >= 8


def test_the_recipe_names_only_inputs_and_outputs_that_the_action_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (recipe,) = _blocks(README, "yaml")
    workflow = yaml.safe_load(recipe)
    step = next(one for one in workflow["jobs"]["afterlife"]["steps"] if one.get("id") == "memtru")
    assert step["uses"] == "memtru/afterlife-action@v1"
    assert set(step["with"]) <= set(action["inputs"])
    assert set(re.findall(r"steps\.memtru\.outputs\.([\w-]+)", recipe)) <= set(action["outputs"])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.id)
def test_each_scenario_has_a_page_that_says_what_it_is(scenario: AnyScenario) -> None:
    name = page_of(scenario.id)
    page = " ".join((ROOT / "docs" / "scenarios" / f"{name}.md").read_text().split())
    assert scenario.id in page
    promise = scenario.promise
    assert promise.title in page
    assert promise.finding.value in page
    for alternatives in promise.needs:
        for capability in alternatives:
            assert capability.value in page
    for step in promise.steps:
        assert step in page


def test_each_link_between_documents_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_each_decision_is_listed_and_fits_on_its_page() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\(([\w-]+\.md)\)", (folder / "README.md").read_text())
    pages = {one.name for one in folder.glob("*.md")} - {"README.md"}
    assert set(listed) == pages
    assert len(pages) >= 4
    for page in pages:
        assert len((folder / page).read_text().splitlines()) <= 40, page


def test_the_pages_name_only_defects_and_causes_that_exist() -> None:
    known = {*DEFECTS, *(one.value for one in Cause), *SUITES, *LEVELS}
    for page in (ROOT / "docs" / "scenarios").glob("MT-*.md"):
        table = re.findall(r"^\| `([a-z_]+)` \|", page.read_text(), re.MULTILINE)
        targets = re.findall(r"embedded:([a-z_]+)", page.read_text())
        assert {*table, *targets} <= known, page.name
