"""An adapter is found by name, or the reason why not is said in one sentence."""

import sys
from pathlib import Path

import pytest

from memtru_ci.adapters.loading import load_adapter
from memtru_ci.errors import UsageError
from memtru_ci.reference.service import ReferenceService


def test_an_adapter_is_loaded_with_its_options() -> None:
    name = "memtru_ci.reference.service:ReferenceService"
    adapter = load_adapter(name, {"defect": "delete_ignored"})
    assert isinstance(adapter, ReferenceService)
    adapter.close()


def test_an_adapter_is_loaded_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    source = "from memtru_ci.adapters import MemoryAdapter\nclass Mine(MemoryAdapter): pass\n"
    (tmp_path / "own_adapter_of_a_test.py").write_text(source)
    adapter = load_adapter("own_adapter_of_a_test:Mine", search_in=tmp_path)
    assert type(adapter).__name__ == "Mine"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("package.module", {}, "names no adapter"),
        (":Class", {}, "names no adapter"),
        ("no_such_module_here:A", {}, "cannot be imported: ModuleNotFoundError"),
        ("memtru_ci.reference.service:Nothing", {}, "has no class 'Nothing'"),
        ("memtru_ci.reference.service:Path", {}, "has no MemoryAdapter 'Path'"),
        ("memtru_ci.reference.service:ReferenceService", {"nose": 1}, "cannot be made: TypeError"),
        (
            "memtru_ci.reference.service:ReferenceService",
            {"defect": "none_such"},
            "cannot be made: UsageError: The reference service has no defect 'none_such'",
        ),
    ],
)
def test_what_is_wrong_with_a_name_or_an_option_is_said(
    name: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load_adapter(name, options)
    assert message in caught.value.message
    assert caught.value.hint
