"""The folders of `examples/` that say what the gate makes of them, and a run of one of them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from memtru_ci.domain.report import Report, ScenarioResult

ROOT = Path(__file__).resolve().parent.parent
NIGHTLY = "MEMTRU_NIGHTLY"
WINDOW_S = 2


@dataclass(frozen=True)
class Example:
    """A folder with `memtru.yml` and `expected.json`; a nightly one is too slow for each CI."""

    folder: Path
    expect: dict[str, dict[str, str]]
    nightly: bool = False

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def config(self) -> Path:
        return self.folder / "memtru.yml"

    @property
    def exit_code(self) -> int:
        """What the command line says of the verdicts that are expected."""
        verdicts = {one["verdict"] for one in self.expect.values()}
        return 1 if "FAIL" in verdicts else 3 if "INCONCLUSIVE" in verdicts else 0

    @property
    def why_not_now(self) -> str | None:
        """Why it does not run this time; None where it does."""
        if self.nightly and os.environ.get(NIGHTLY) != "1":
            return f"runs at night only, or with {NIGHTLY}=1"
        return None


def examples() -> list[Example]:
    """Every folder with an `expected.json`, by name."""
    return [_read(file) for file in sorted((ROOT / "examples").glob("*/expected.json"))]


def example(name: str) -> Example:
    """One of them by the name of its folder."""
    return _read(ROOT / "examples" / name / "expected.json")


def outcome(folder: Path, into: Path, timeout_s: float = 900) -> tuple[int, Report]:
    """The exit code and the report of `memtru-ci test`; what was printed where there is none."""
    command = [sys.executable, "-m", "memtru_ci", "test", "--window", str(WINDOW_S)]
    command += ["--config", str(folder / "memtru.yml"), "--output-dir", str(into)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s)
    file = into / "report.json"
    assert file.exists(), done.stdout + done.stderr
    return done.returncode, Report.model_validate_json(file.read_text())


def by_scenario(report: Report) -> dict[str, ScenarioResult]:
    """The results of a report."""
    return {one.scenario: one for one in report.results}


def _read(file: Path) -> Example:
    document = json.loads(file.read_text())
    return Example(file.parent, document["expect"], document.get("nightly", False))
