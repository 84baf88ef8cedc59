"""Finding, reading and overriding the settings file."""

from pathlib import Path

import pytest

from memtru_ci.errors import SettingsError, UsageError
from memtru_ci.settings.file import LoadedSettings, Override, load


def write(root: Path, text: str, name: str = "memtru.yml") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def refused(root: Path, text: str, *overrides: Override) -> str:
    write(root, text)
    with pytest.raises(SettingsError) as caught:
        load(root, None, overrides)
    return str(caught.value)


def loaded(root: Path, text: str, *overrides: Override) -> LoadedSettings:
    write(root, text)
    return load(root, None, overrides)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert found.path is None
    assert not found.settings.has_target


def test_the_first_place_that_has_a_file_counts(tmp_path: Path) -> None:
    write(tmp_path, "target: image:third", ".github/memtru.yml")
    assert load(tmp_path).settings.target == "image:third"
    write(tmp_path, "target: image:second", "memtru.yml")
    assert load(tmp_path).settings.target == "image:second"
    write(tmp_path, "target: image:first", ".memtru.yml")
    assert load(tmp_path).settings.target == "image:first"


def test_a_named_file_goes_before_the_others(tmp_path: Path) -> None:
    write(tmp_path, "target: image:found")
    named = write(tmp_path, "target: image:named", "other.yml")
    assert load(tmp_path, named).settings.target == "image:named"


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        load(tmp_path, tmp_path / "missing.yml")


def test_an_error_names_file_line_key_what_came_and_what_is_allowed(tmp_path: Path) -> None:
    said = refused(tmp_path, "target: image:x\n\nwindow: 900\n")
    assert said == (
        f"{tmp_path}/memtru.yml:3: `window`: 900 came; allowed: seconds, from 0.5 to 300."
    )


def test_an_unknown_key_names_the_one_that_was_meant(tmp_path: Path) -> None:
    said = refused(tmp_path, "target: image:x\nwindwo: 3\n")
    assert said.endswith('memtru.yml:2: `windwo` is not a known key. Did you mean "window"?')


def test_an_unknown_inner_key_is_looked_for_among_its_neighbours(tmp_path: Path) -> None:
    said = refused(tmp_path, "build:\n  contxt: .\n")
    assert ':2: `build.contxt` is not a known key. Did you mean "context"?' in said


def test_an_item_of_a_list_has_its_own_line(tmp_path: Path) -> None:
    assert ":4: `command[1]`: true came" in refused(
        tmp_path, "target: image:x\ncommand:\n  - serve\n  - yes\n"
    )


def test_several_errors_are_told_at_once(tmp_path: Path) -> None:
    said = refused(tmp_path, "target: image:x\nport: 0\npids: 0\n")
    assert len(said.splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: [", ":1: this is not YAML"),
        ("target: image:x\nport: 1\nport: 2", ":3: `port` is there twice, first on line 2"),
        ("env: &a {X: '1'}\noptions: *a", ":2: aliases"),
        ("- target", ":1: this is not a map"),
        ("just text", ":1: this is not a map"),
        ("x: !!python/object:os.system {}", "constructor"),
        ("x: 2024-99-99", "cannot be read"),
        ("? [a]\n: b", ":1: a key is not a plain text"),
        ("options: " + "{a: " * 30 + "1" + "}" * 30, "nested deeper"),
        ("[" * 5000, "cannot be read"),
        ("a: 1\n---\nb: 2", "not YAML"),
        ("x: \x07", "not YAML"),
    ],
)
def test_malformed_yaml_is_one_message(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in refused(tmp_path, text)


def test_a_bomb_of_aliases_is_refused_before_it_grows(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert "aliases" in refused(tmp_path, "\n".join(lines))


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    assert "larger than 256 KiB" in refused(tmp_path, "#" + "x" * 300_000)


def test_a_file_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memtru.yml").write_bytes(b"target: \xff\xfe")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load(tmp_path)


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, "# nothing yet\n").settings == load(tmp_path / "elsewhere").settings


def test_a_value_from_outside_goes_before_the_file(tmp_path: Path) -> None:
    found = loaded(tmp_path, "target: image:x\nwindow: 7", Override("window", 1.0, "--window"))
    assert found.settings.window == 1.0


def test_variables_from_outside_are_laid_over_those_of_the_file(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        "target: image:x\nenv: {A: file, B: file}",
        Override("env", {"B": "outside", "C": "outside"}, "--env"),
    )
    assert found.settings.env == {"A": "file", "B": "outside", "C": "outside"}


def test_a_bad_value_from_outside_is_named_by_its_flag(tmp_path: Path) -> None:
    write(tmp_path, "target: image:x")
    with pytest.raises(UsageError, match=r"^`--window`: 0\.1 came; allowed: seconds") as caught:
        load(tmp_path, None, [Override("window", 0.1, "--window")])
    assert not isinstance(caught.value, SettingsError)


def test_a_target_from_outside_takes_the_place_of_the_files_build(tmp_path: Path) -> None:
    found = loaded(tmp_path, "build: {}", Override("target", "image:x", "--target"))
    assert found.settings.target == "image:x"
    assert found.settings.build is None


def test_a_build_from_outside_takes_the_place_of_the_files_target(tmp_path: Path) -> None:
    context = tmp_path / "app"
    context.mkdir()
    found = loaded(
        tmp_path, "target: image:x", Override("build.context", str(context), "--build-context")
    )
    assert found.settings.target_name.kind == "build"
    assert found.context == context


def test_two_targets_from_outside_are_a_contradiction(tmp_path: Path) -> None:
    both = [
        Override("target", "image:x", "--target"),
        Override("build.context", ".", "--build-context"),
    ]
    with pytest.raises(UsageError, match="--target and --build-context name two targets"):
        load(tmp_path, None, both)


def test_the_target_build_from_outside_keeps_the_files_build(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    found = loaded(tmp_path, "build: {context: app}", Override("target", "build", "--target"))
    assert found.context == tmp_path / "app"


def test_the_context_is_relative_to_the_files_folder(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    write(tmp_path, "build: {context: ../app}", ".github/memtru.yml")
    assert load(tmp_path).context.resolve() == tmp_path / "app"


def test_a_file_names_no_context_outside_of_its_repository(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    assert "leads outside" in refused(root, "build: {context: ..}")


def test_a_link_does_not_lead_the_context_outside(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    (root / "app").symlink_to(tmp_path, target_is_directory=True)
    assert "leads outside" in refused(root, "build: {context: app}")


def test_a_context_beside_a_subfolder_is_inside_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app").mkdir()
    folder = tmp_path / "variant"
    folder.mkdir()
    assert loaded(folder, "build: {context: ../app}").context.resolve() == tmp_path / "app"


def test_a_file_of_another_repository_names_what_is_in_that_one(tmp_path: Path) -> None:
    for folder in ("here", "there/.git", "there/app", "there/variant"):
        (tmp_path / folder).mkdir(parents=True)
    named = write(tmp_path, "build: {context: ../app}", "there/variant/memtru.yml")
    assert load(tmp_path / "here", named).context.resolve() == tmp_path / "there/app"


def test_a_context_that_is_missing_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "build: {context: missing}")
    with pytest.raises(UsageError, match="is not a folder"):
        load(tmp_path)


def test_lines_of_keys_are_kept_for_reports(tmp_path: Path) -> None:
    found = loaded(tmp_path, "target: image:x\nscenarios:\n  - MT-AF-001\n  - MT-DEL-003\n")
    assert found.line_of("target") == 1
    assert found.line_of("scenarios", 1) == 4
    assert found.line_of("window") is None


def test_a_key_from_outside_has_no_line(tmp_path: Path) -> None:
    found = loaded(tmp_path, "scenarios: [all]", Override("scenarios", ["deletion"], "--scenario"))
    assert found.line_of("scenarios") is None
