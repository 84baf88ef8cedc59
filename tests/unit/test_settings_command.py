"""The command that performs a run again."""

import shlex
from pathlib import Path

from memtru_ci.domain.telling import command_again
from memtru_ci.settings.command import command_of
from memtru_ci.settings.file import LoadedSettings, Override, load
from memtru_ci.settings.model import Settings
from tests import examples


def test_it_has_the_file_and_what_was_laid_over_it(tmp_path: Path) -> None:
    file = tmp_path / "memtru.yml"
    file.write_text("target: image:acme/memory\nport: 9000\n")
    laid = [Override("window", 2.0, "--window"), Override("fail_on_inconclusive", False, "x")]
    words = command_of(load(tmp_path, file, laid))
    assert words[2:] == ["--config", str(file), "--window", "2", "--no-fail-on-inconclusive"]


def test_it_names_a_build_by_its_folder(tmp_path: Path) -> None:
    laid = [Override("build.context", str(tmp_path), "x"), Override("build.dockerfile", "D", "y")]
    words = command_of(load(tmp_path, None, laid))
    assert words[2:] == ["--build-context", str(tmp_path), "--dockerfile", "D"]


def test_it_tells_no_values_of_variables(tmp_path: Path) -> None:
    laid = [
        Override("target", "url:http://127.0.0.1:1", "--target"),
        Override("env", {"API_KEY": "hush"}, "--env"),
    ]
    words = command_of(load(tmp_path, None, laid))
    assert words[-2:] == ["--env", "API_KEY"]
    assert "hush" not in " ".join(words)


def test_settings_made_in_code_are_named_as_they_were_set() -> None:
    words = command_of(LoadedSettings(Settings(target="embedded:", window=2.0)))
    assert words == ["memtru-ci", "test", "--target", "embedded:", "--window", "2"]


def test_the_command_is_quoted_for_a_shell() -> None:
    report = examples.report()
    target = "process:python a.py; rm -rf ~"
    settings = report.settings.model_copy(
        update={"command": ["memtru-ci", "test", "--target", target]}
    )
    command = command_again(report.model_copy(update={"settings": settings}), ["MT-DEL-003"])
    assert shlex.split(command)[3] == target
    assert "'process:python a.py; rm -rf ~'" in command
