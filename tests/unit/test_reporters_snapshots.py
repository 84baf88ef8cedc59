"""Every reporter's document of one example report, as it is committed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memtru_ci.ports import Reporter
from memtru_ci.reporters import Origin, reporters_for
from memtru_ci.reporters.anchor import SourceFile, Sources, find_anchors
from tests import examples

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
SETTINGS = SNAPSHOTS / "memtru.yml"


def example_reporters() -> tuple[Reporter, ...]:
    """The reporters of a repository that has one settings file."""
    source = SourceFile(SETTINGS.name, SETTINGS.read_text())
    anchors = find_anchors(Sources(settings=source), ["MT-AF-001", "MT-AF-002"])
    return reporters_for(Origin(anchors, "https://github.com/acme/memory", "f" * 40, "main"))


def example_documents() -> dict[str, str]:
    """All documents of a run with every verdict."""
    report = examples.report(
        examples.failed(),
        examples.passed(),
        examples.inconclusive(),
        examples.errored("MT-AF-003"),
        examples.skipped("MT-AF-004"),
    )
    return {one.filename: one.render(report) for one in example_reporters()}


@pytest.mark.parametrize("name", sorted(example_documents()))
def test_the_document_is_what_the_snapshot_says(name: str) -> None:
    assert (SNAPSHOTS / name).read_text() == example_documents()[name], (
        "If this change is meant: python -m tests.unit.test_reporters_snapshots"
    )


def test_there_is_a_snapshot_of_every_document() -> None:
    files = {path.name for path in SNAPSHOTS.iterdir()} - {SETTINGS.name}
    assert files == set(example_documents())


@pytest.mark.skipif("MEMTRU_CHECK_SARIF" not in os.environ, reason="MEMTRU_CHECK_SARIF: no checker")
def test_an_outside_checker_takes_the_sarif_snapshot(tmp_path: Path) -> None:
    shutil.copy(SETTINGS, tmp_path)
    checker = os.environ["MEMTRU_CHECK_SARIF"]
    checked = subprocess.run(
        [sys.executable, checker, SNAPSHOTS / "memtru.sarif", "--root", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


if __name__ == "__main__":
    for filename, document in example_documents().items():
        (SNAPSHOTS / filename).write_text(document)
