"""The README's table of integrations is what the examples say, and every example is whole."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from memtru_ci.settings.file import load
from tests.examples_of_services import ROOT, WINDOW_S, Example, examples

README = (ROOT / "README.md").read_text()
EXAMPLES = examples()
DESCRIBED = yaml.safe_load((ROOT / "examples" / "integrations.yml").read_text())
NOT_PUBLISHED = tuple(name for name, one in DESCRIBED.items() if one.get("withheld"))


def rows() -> list[str]:
    found = re.search("<!-- integrations -->\n(.*)<!-- /integrations -->", README, re.DOTALL)
    assert found is not None
    return [line for line in found[1].splitlines()[2:] if line]


def entry_of(name: str) -> str:
    """What the table says of one folder, up to the next one."""
    found = re.search(rf"\[`{re.escape(name)}`\].*?(?=<br>| \| )", "\n".join(rows()))
    assert found is not None, f"the table has no {name}"
    return found[0]


def test_the_table_is_the_generated_one(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    command = [sys.executable, ".ci/integrations-table", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    assert (tmp_path / "README.md").read_text() == README


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.name)
def test_an_example_is_in_the_table_with_its_verdicts(one: Example) -> None:
    entry = entry_of(one.name)
    shown = {
        scenario: wanted["verdict"]
        for scenario, wanted in one.expect.items()
        if wanted["verdict"] != "SKIPPED"
    }
    assert dict(re.findall(r"(MT-[A-Z]+-\d+) ([A-Z]+)", entry)) == shown


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.name)
def test_an_example_names_what_it_runs_and_is_watched_briefly(one: Example) -> None:
    settings = load(ROOT, one.config).settings
    assert settings.build is not None
    assert (one.folder / settings.build.context / "Dockerfile").exists()
    assert settings.window == WINDOW_S
    assert one.expect
    assert any(wanted["verdict"] != "SKIPPED" for wanted in one.expect.values())


@pytest.mark.parametrize("context", DESCRIBED)
def test_every_version_is_pinned(context: str) -> None:
    folder = ROOT / "examples" / context
    package = re.escape(DESCRIBED[context]["package"])
    pins = {
        "requirements.lock": rf"^{package}==(\S+)",
        "package-lock.json": rf'"node_modules/{package}": {{\s+"version": "([^"]+)"',
    }
    (locked,) = [
        found[1]
        for name, pattern in pins.items()
        if (folder / name).exists()
        and (found := re.search(pattern, (folder / name).read_text(), re.MULTILINE))
    ]
    own = re.compile(rf"\]\(examples/{re.escape(context)}(/README\.md)?\)")
    versions = {row.split(" | ")[1] for row in rows() if own.search(row)}
    assert versions <= {locked}
    unpinned = re.compile(r"^FROM \S+:latest|^FROM [^:\s]+$", re.MULTILINE)
    assert unpinned.search((folder / "Dockerfile").read_text()) is None


def test_no_verdict_is_kept_of_what_is_not_published() -> None:
    assert NOT_PUBLISHED == ("mem0",)
    for context in NOT_PUBLISHED:
        folders = sorted((ROOT / "examples").glob(f"{context}*"))
        assert len(folders) >= 3
        for folder in folders:
            assert not list(folder.glob("expected*.json"))
            assert not list(folder.glob("README*"))
        for folder in folders[1:]:
            assert [one.name for one in folder.iterdir()] == ["memtru.yml"]
            assert entry_of(folder.name).endswith("withheld, being handled with the maintainers")
            assert "#" not in (folder / "memtru.yml").read_text()
        assert not re.search(
            r"MT-\w+-\d+ [A-Z]", "".join(row for row in rows() if f"examples/{context}" in row)
        )
