"""The page of REST mappings is what the models say, and its example works."""

import re
from pathlib import Path

import yaml

from memtru_ci.services.rest.keys import OperationKeys, Paging, Resolve, Step, Task
from memtru_ci.services.rest.mapping import RestService, resolved
from memtru_ci.services.rest.page import documents
from memtru_ci.services.rest.presets import names

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "rest-mapping.md").read_text()


def test_the_page_is_the_generated_one() -> None:
    assert documents() == {"docs/rest-mapping.md": PAGE}


def test_every_key_is_explained() -> None:
    for model in (RestService, OperationKeys, Paging, Task, Resolve, Step):
        for name, field in model.model_fields.items():
            assert field.description
            assert f"| `{name}` |" in PAGE
    assert all(f"`{name}`" in PAGE for name in names())


def test_the_example_is_a_whole_mapping() -> None:
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    mapping = resolved(RestService.model_validate(yaml.safe_load(example)["service"]))
    assert set(mapping.operations) == {"write", "update", "search", "list", "delete"}
    assert set(mapping.surfaces) == {"profile"}


def test_the_page_is_linked() -> None:
    assert "docs/rest-mapping.md" in (ROOT / "README.md").read_text()
    assert "memtru_ci.services.rest" in (ROOT / ".ci" / "generate").read_text()
