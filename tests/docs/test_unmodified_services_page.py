"""The page on services as they are: each piece of settings is valid, and the whole one is run."""

import re
from typing import Any

import pytest
import yaml

from memtru_ci.services.rest.mapping import RestService, resolved
from memtru_ci.services.rest.presets import names as rest_presets
from memtru_ci.settings.holding import hold_by
from memtru_ci.settings.model import Settings
from tests.examples_of_services import ROOT, example

PAGE = (ROOT / "docs" / "unmodified-services.md").read_text()
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
WHOLE = next(one for one in BLOCKS if "operations:" in one)
DOCUMENTS = [yaml.safe_load(one) for one in BLOCKS]
SETTINGS = [one for one in DOCUMENTS if "jobs" not in one or "target" in one]
(WORKFLOW,) = (one for one in DOCUMENTS if one not in SETTINGS)


def valid(document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in document.get("secrets", []):
        monkeypatch.setenv(name, "x")
    return Settings.model_validate(document)


@pytest.mark.parametrize("document", SETTINGS, ids=lambda one: "-".join(one))
def test_every_piece_of_settings_is_valid(
    document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = valid(document, monkeypatch)
    assert settings.has_target
    if isinstance(settings.service, RestService):
        assert {"write", "search", "delete"} <= set(resolved(settings.service).operations)


def test_the_whole_one_is_an_example_that_runs() -> None:
    one = example("check-then-write-model-buggy")
    assert one.config.read_text() == WHOLE
    assert not one.nightly
    assert f"--config {one.config.relative_to(ROOT)}" in PAGE


def test_every_way_of_holding_is_told_and_valid() -> None:
    told = re.findall(r"^\| `(\{by: .*?\})` \|.*\| `(\w+)` \|$", PAGE, re.MULTILINE)
    ways = [yaml.safe_load(hold) for hold, _ in told]
    assert [one["by"] for one in ways] == ["model", "store", "worker", "wire"]
    assert [level for _, level in told] == ["application", "store", "worker", "transport"]
    service = {"kind": "rest", "preset": rest_presets()[0]}
    for way in ways:
        hold = {**way, **({"sidecar": "redis"} if "sidecar" in way else {})}
        hold |= {"port": 6379} if "port" in way else {}
        settings = Settings.model_validate(
            {
                "target": "image:x",
                "services": {"redis": {"image": "redis:8"}},
                "model": {},
                "service": service,
                "hold": hold,
            }
        )
        assert hold_by(settings) == way["by"]


def test_the_workflow_gives_inputs_that_the_action_has() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    job = WORKFLOW["jobs"]["afterlife"]
    assert "services" not in job
    (step,) = (one for one in job["steps"] if one.get("id") == "memtru")
    assert set(step["with"]) <= set(action["inputs"])
    outputs = re.findall(r"steps\.memtru\.outputs\.([\w-]+)", PAGE)
    assert outputs
    assert set(outputs) <= set(action["outputs"])


def test_the_page_is_linked_and_leads_to_its_own_headings() -> None:
    assert "docs/unmodified-services.md" in (ROOT / "README.md").read_text()
    headings = {one.lower().replace(" ", "-") for one in re.findall(r"^## (.*)$", PAGE, re.M)}
    linked = set(re.findall(r"\]\(#([\w-]+)\)", PAGE))
    assert linked == headings
