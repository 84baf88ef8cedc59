"""The Python adapter of the examples: it passes, and fails once it stops to check deletes."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memtru_ci.adapters import MemoryAdapter, MemoryLifecycleHooks

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "python-adapter"
PAGE = (ROOT / "docs" / "adapters.md").read_text()


def _tested(folder: Path) -> tuple[int, dict[str, str]]:
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", "*.db"))
    if folder.name == "blind":
        settings = folder / "memtru.yml"
        settings.write_text(settings.read_text().replace("true", "false"))
    done = subprocess.run(
        [sys.executable, "-m", "memtru_ci", "test", "--window", "1"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    report = folder / "memtru-results" / "report.json"
    assert report.exists(), done.stdout + done.stderr
    results = json.loads(report.read_text())["results"]
    return done.returncode, {one["scenario"]: one["verdict"] for one in results}


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("variant", "code", "late"), [("sound", 0, "PASS"), ("blind", 1, "FAIL")])
def test_the_example_gets_its_verdicts(tmp_path: Path, variant: str, code: int, late: str) -> None:
    assert _tested(tmp_path / variant) == (
        code,
        {"MT-AF-001": late, "MT-AF-002": "SKIPPED", "MT-DEL-003": "PASS"},
    )


def test_the_page_has_every_hook() -> None:
    hooks = {
        name: _arguments(hook)
        for name, hook in vars(MemoryLifecycleHooks).items()
        if name[0] != "_"
    }
    table = [line for line in PAGE.splitlines() if line.startswith("| `")]
    named = dict(one for line in table for one in re.findall(r"`([a-z_]+)\(([^)]*)\)`", line))
    assert {name: named.get(name) for name in hooks} == hooks
    others = {name: named[name] for name in named.keys() - hooks}
    assert others == {name: _arguments(getattr(MemoryAdapter, name)) for name in others}


def _arguments(method: Callable[..., object]) -> str:
    return ", ".join(list(inspect.signature(method).parameters)[1:])
