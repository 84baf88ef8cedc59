"""The published contract is what the code says, and says all that the code knows."""

import re
from pathlib import Path

import pytest

from memtru_ci.adapters.answers import ANSWERS
from memtru_ci.contract.__main__ import documents
from memtru_ci.contract.operations import BY_NAME, OPERATIONS
from memtru_ci.domain.capability import Capability

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(documents()))
def test_the_committed_document_is_the_generated_one(name: str) -> None:
    committed = (ROOT / name).read_text(encoding="utf-8")
    assert committed == documents()[name], "run: python -m memtru_ci.contract"


def test_every_capability_has_a_call() -> None:
    assert {one.capability for one in OPERATIONS if one.capability} == set(Capability)


def test_every_call_has_an_answer_in_the_server() -> None:
    assert set(ANSWERS) == set(BY_NAME)


def test_the_page_names_every_call_and_every_field() -> None:
    page = documents()["docs/http-contract.md"]
    for operation in OPERATIONS:
        assert operation.endpoint in page
        for model in (operation.request, operation.query, operation.answer):
            for field in model.model_fields if model else ():
                assert f"`{field}`" in page, f"{operation.name}: {field}"


def test_the_page_explains_every_message_that_another_one_holds() -> None:
    page = documents()["docs/http-contract.md"]
    linked = re.findall(r"\]\(#([a-z]+)\)", page)
    headings = {one.lower() for one in re.findall(r"^#+ (\w+)$", page, re.MULTILINE)}
    assert {"foundmemory", "chatmessage", "createdrecord", "serviceidentity"} <= set(linked)
    assert set(linked) <= headings


def test_only_a_path_with_a_variable_holds_an_id() -> None:
    holding = {one.name for one in OPERATIONS if one.holds_id}
    assert holding == {"update", "delete", "delete_thread", "delete_namespace", "inspect_surface"}
