"""What a step writes stays in the workspace and belongs to its owner."""

import os
from pathlib import Path

import pytest

from memtru_ci.errors import EXIT_USAGE, UsageError
from memtru_ci.github.workspace import hand_over, is_empty, output_folder, workspace_of

NOBODY = 65534


@pytest.mark.parametrize("named", ["../out", "/tmp", "a/../../out", "link/out"])
def test_a_folder_outside_of_the_workspace_is_refused(named: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "link").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="leads out of the workspace") as caught:
        output_folder(workspace, named)
    assert caught.value.exit_code == EXIT_USAGE


def test_folders_that_a_run_makes_are_known_beforehand(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    folder = output_folder(tmp_path, "there/new/out")
    assert folder.path == tmp_path / "there" / "new" / "out"
    assert folder.made == (tmp_path / "there/new/out", tmp_path / "there/new")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_only_what_was_written_goes_to_the_owner_of_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "there").mkdir(parents=True)
    os.chown(workspace, NOBODY, NOBODY)
    folder = output_folder(workspace, "there/out")
    folder.path.mkdir()
    for name in ("report.json", "other.txt"):
        (folder.path / name).write_text("")
    assert hand_over(workspace, folder, ["report.json", "summary.md"]) == []
    owners = {path.name: path.stat().st_uid for path in workspace.rglob("*")}
    assert owners == {"there": 0, "out": NOBODY, "report.json": NOBODY, "other.txt": 0}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_link_is_given_away_itself_and_not_what_it_leads_to(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    os.chown(workspace, NOBODY, NOBODY)
    folder = output_folder(workspace, ".")
    (workspace / "report.json").symlink_to(precious)
    hand_over(workspace, folder, ["report.json"])
    assert precious.stat().st_uid == 0
    assert (workspace / "report.json").lstat().st_uid == NOBODY


def test_the_workspace_is_the_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w").mkdir()
    assert workspace_of({"GITHUB_WORKSPACE": str(tmp_path / "w")}) == tmp_path / "w"
    assert workspace_of({"GITHUB_WORKSPACE": "/nowhere"}) == tmp_path
    assert workspace_of({}) == tmp_path


def test_an_empty_workspace_is_noticed(tmp_path: Path) -> None:
    assert is_empty(tmp_path)
    assert is_empty(tmp_path / "missing")
    (tmp_path / "file").write_text("")
    assert not is_empty(tmp_path)
