"""The schema and the page of the settings are in step with the model."""

from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from memtru_ci.settings.driving import Hold, Job, Model
from memtru_ci.settings.model import Build, Settings
from memtru_ci.settings.options import OPTIONS
from memtru_ci.settings.page import documents, page, schema
from memtru_ci.settings.sidecar import Sidecar

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/memtru.yml"))


@pytest.mark.parametrize("name", documents())
def test_the_committed_document_is_what_the_model_gives(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == documents()[name]


def test_every_key_of_the_model_is_in_the_table_of_options() -> None:
    assert {key for key in OPTIONS if "." not in key} == set(Settings.model_fields)


@pytest.mark.parametrize(
    ("prefix", "model"),
    [
        ("build", Build),
        ("services.NAME", Sidecar),
        ("model", Model),
        ("hold", Hold),
        ("jobs.NAME", Job),
    ],
)
def test_every_inner_key_is_in_the_table_of_options(prefix: str, model: type[BaseModel]) -> None:
    inner = {key.removeprefix(f"{prefix}.") for key in OPTIONS if key.startswith(f"{prefix}.")}
    assert inner == set(model.model_fields)


@pytest.mark.parametrize("key", OPTIONS)
def test_every_key_is_explained_on_the_page(key: str) -> None:
    assert f"| `{key}` |" in page()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_keep_to_the_schema(path: Path) -> None:
    jsonschema.validate(yaml.safe_load(path.read_text()), yaml.safe_load(schema()))


def test_there_are_examples() -> None:
    assert EXAMPLES


def test_the_schema_refuses_what_the_model_refuses() -> None:
    with pytest.raises(jsonschema.ValidationError, match="privileged"):
        jsonschema.validate({"privileged": True}, yaml.safe_load(schema()))
