"""Which scenarios a run performs."""

from pathlib import Path

import pytest

from memtru_ci.errors import SettingsError, UsageError
from memtru_ci.settings.file import LoadedSettings, load
from memtru_ci.settings.model import Settings
from memtru_ci.settings.selection import Selection, select

KNOWN = ("MT-AF-001", "MT-AF-002", "MT-DEL-003")
SUITES = {"afterlife": KNOWN[:2], "deletion": KNOWN[2:], "all": KNOWN}


def selected(scenarios: list[str], require: list[str] | None = None) -> Selection:
    settings = Settings(scenarios=scenarios, require=require or [])
    return select(LoadedSettings(settings), KNOWN, SUITES)


def test_a_suite_stands_for_its_scenarios_and_asks_for_none_by_id() -> None:
    assert selected(["afterlife"]) == Selection(KNOWN[:2], (), ())


def test_a_scenario_asked_for_by_its_id_is_marked_as_such() -> None:
    assert selected(["MT-AF-002"]) == Selection(("MT-AF-002",), ("MT-AF-002",), ())


def test_an_id_beside_its_suite_is_still_asked_for_by_id() -> None:
    assert selected(["all", "MT-AF-001"]).asked_by_id == ("MT-AF-001",)


def test_scenarios_are_performed_in_the_catalogues_order_and_once() -> None:
    assert selected(["MT-DEL-003", "MT-AF-001", "MT-AF-001"]).ids == ("MT-AF-001", "MT-DEL-003")


def test_names_are_taken_in_any_case() -> None:
    assert selected(["mt-af-001", "Deletion"]).ids == ("MT-AF-001", "MT-DEL-003")


def test_what_is_required_is_performed_too() -> None:
    assert selected(["MT-AF-001"], ["MT-DEL-003"]) == Selection(
        ("MT-AF-001", "MT-DEL-003"), ("MT-AF-001",), ("MT-DEL-003",)
    )


def test_an_unknown_scenario_names_the_one_that_was_meant() -> None:
    with pytest.raises(UsageError, match='Did you mean "MT-AF-001"') as caught:
        selected(["MT-AF-01"])
    assert caught.value.exit_code == 2


def test_an_unknown_scenario_of_a_file_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "memtru.yml").write_text("target: image:x\nscenarios:\n  - all\n  - nope\n")
    with pytest.raises(SettingsError, match=r"memtru\.yml:4: `scenarios`"):
        select(load(tmp_path), KNOWN, SUITES)


def test_a_suite_cannot_be_required() -> None:
    with pytest.raises(UsageError, match="not a scenario"):
        selected(["all"], ["afterlife"])
