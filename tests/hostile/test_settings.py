"""A settings file out of a pull request: it reaches nothing that is not its own."""

from pathlib import Path

import pytest

from memtru_ci.errors import SettingsError
from memtru_ci.settings.file import Override, load


def _write(folder: Path, text: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / "memtru.yml").write_text(text)
    return folder


@pytest.mark.parametrize("name", ["ACTIONS_RUNTIME_TOKEN", "actions_id_token", "INPUT_ENV"])
@pytest.mark.parametrize("key", ["secrets: [{}]", "token_env: {}"])
def test_it_hands_none_of_the_runners_variables_to_a_target(
    tmp_path: Path, key: str, name: str
) -> None:
    root = _write(tmp_path / "repo", f"target: embedded\n{key.format(name)}\n")
    with pytest.raises(SettingsError, match="the runner's own variables are handed to nobody"):
        load(root)


@pytest.mark.parametrize("folder", ["../out", "/etc/memtru", "link", "link/deep", "a/../../out"])
def test_it_has_reports_written_nowhere_outside(tmp_path: Path, folder: str) -> None:
    root = _write(tmp_path / "repo", f"target: embedded\noutput_dir: {folder}\n")
    (root / "link").symlink_to("/etc")
    with pytest.raises(SettingsError, match=r"the output folder .* leads outside of"):
        load(root)


def test_a_folder_inside_of_its_repository_is_its_to_name(tmp_path: Path) -> None:
    root = _write(tmp_path / "repo", "target: embedded\noutput_dir: ../out\n")
    (root / "part").mkdir()
    (root / "part" / "memtru.yml").write_text("target: embedded\noutput_dir: ../results\n")
    assert load(root / "part").settings.output_dir == "../results"


def test_the_user_may_have_reports_written_anywhere(tmp_path: Path) -> None:
    root = _write(tmp_path / "repo", "target: embedded\noutput_dir: ../out\n")
    given = Override("output_dir", str(tmp_path / "elsewhere"), "--output-dir")
    assert load(root, None, [given]).settings.output_dir == str(tmp_path / "elsewhere")
