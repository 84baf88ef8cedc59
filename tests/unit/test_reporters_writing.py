"""Documents are written whole, under fixed names, and never through a link."""

import os
import stat
from pathlib import Path

import pytest

from memtru_ci.domain.report import Report
from memtru_ci.errors import EXIT_USAGE, UsageError
from memtru_ci.reporters import REPORTERS, reporters_for
from memtru_ci.reporters.writing import check_writable, write_all
from tests import examples


class Saying:
    """A reporter that says one thing."""

    filename = "report.json"

    def __init__(self, text: str = "{}\n") -> None:
        self._text = text

    def render(self, report: Report) -> str:
        return self._text


class Failing:
    """A reporter that cannot render."""

    filename = "memtru.sarif"

    def render(self, report: Report) -> str:
        raise ValueError("no")


def mode(path: Path) -> int:
    """The permissions."""
    return stat.S_IMODE(path.stat().st_mode)


def test_every_reporter_writes_its_own_file(tmp_path: Path) -> None:
    written = write_all(examples.report(), tmp_path / "a" / "b", reporters_for())
    assert [path.name for path in written] == ["report.json", "memtru.sarif", "summary.md"]
    assert {path.name for path in (tmp_path / "a" / "b").iterdir()} == set(REPORTERS)


def test_registered_names_are_the_names_of_the_files() -> None:
    assert [one.filename for one in reporters_for()] == list(REPORTERS)


def test_others_can_read_what_was_written_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        (path,) = write_all(examples.report(), tmp_path / "out", [Saying()])
    finally:
        os.umask(before)
    assert mode(path) == 0o644


def test_an_earlier_document_is_replaced(tmp_path: Path) -> None:
    write_all(examples.report(), tmp_path, [Saying("old and longer\n")])
    (path,) = write_all(examples.report(), tmp_path, [Saying("new\n")])
    assert path.read_text() == "new\n"


def test_a_link_in_the_place_of_a_document_is_replaced_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "report.json").symlink_to(precious)
    write_all(examples.report(), folder, [Saying()])
    assert precious.read_text() == "mine"
    assert not (folder / "report.json").is_symlink()


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match="cannot be written to"):
        write_all(examples.report(), tmp_path / "out", [Saying()])


def test_a_file_in_the_place_of_the_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="out: File exists") as caught:
        write_all(examples.report(), tmp_path / "out", [Saying()])
    assert caught.value.exit_code == EXIT_USAGE
    assert "--output-dir" in str(caught.value)


def test_a_folder_in_the_place_of_a_document_leaves_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    with pytest.raises(UsageError, match=r"report\.json"):
        write_all(examples.report(), tmp_path, [Saying()])
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_reporter_that_fails_leaves_the_documents_before_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"):
        write_all(examples.report(), tmp_path, [Saying(), Failing()])
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_whether_a_folder_can_be_written_to_is_found_out_without_a_trace(tmp_path: Path) -> None:
    check_writable(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        check_writable(tmp_path / "file" / "out")
