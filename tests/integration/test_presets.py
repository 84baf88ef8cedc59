"""The doctor on the real service of each preset: no operation is missing."""

import json
import subprocess
import sys

import pytest

from tests.examples_of_services import ROOT, example

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

PRESETS = ("basic-memory", "chroma", "mcp-memory-service", "server-memory")
"""The example of a preset has its name."""


@pytest.mark.parametrize("preset", PRESETS)
def test_every_operation_of_a_preset_works_on_its_service(preset: str) -> None:
    chosen = example(preset)
    if chosen.why_not_now:
        pytest.skip(chosen.why_not_now)
    command = [sys.executable, "-m", "memtru_ci", "doctor", "--json", "--config"]
    done = subprocess.run(
        [*command, str(chosen.config)], cwd=ROOT, capture_output=True, text=True, timeout=800
    )

    assert done.returncode == 0, done.stdout + done.stderr
    checks = json.loads(done.stdout)["checks"]
    states = {one["operation"]: one["state"] for one in checks}
    assert set(states.values()) <= {"works", "absent"}
    for operation in ("write", "search", "list", "update", "delete", "deleted: search"):
        assert states[operation] == "works"


def test_each_preset_has_its_service_here_but_one_without_an_image() -> None:
    folders = [ROOT / "memtru_ci" / "services" / kind / "presets" for kind in ("rest", "mcp")]
    shipped = {one.stem for folder in folders for one in folder.glob("*.yaml")}

    assert shipped - set(PRESETS) == {"mem0"}
    assert all((ROOT / "examples" / name / "Dockerfile").is_file() for name in PRESETS)
