"""A finding is shown at the line that the user can act on."""

from pathlib import Path

import pytest

from memtru_ci.errors import UsageError
from memtru_ci.reporters.anchor import (
    SourceFile,
    Sources,
    anchor_at,
    find_anchors,
    parse_anchor,
)
from memtru_ci.reporters.fingerprint import line_hashes
from memtru_ci.reporters.origins import origin_of, repository_root, source_file

SETTINGS = SourceFile(
    "memtru.yml", "# memory\ntarget: image:acme/memory\nscenarios:\n  - MT-AF-001\n  - deletion\n"
)
DOCKERFILE = SourceFile("Dockerfile", "FROM python AS build\nRUN x\nFROM python\nCMD y\n")
WORKFLOW = SourceFile(".github/workflows/ci.yml", "on: push\n")


def test_the_users_own_anchor_comes_before_everything() -> None:
    given = SourceFile("src/delete.py", "a\nb\n")
    sources = Sources(given=given, given_line=2, settings=SETTINGS, dockerfile=DOCKERFILE)
    anchor = find_anchors(sources, ["MT-AF-001"]).of("MT-AF-001")
    assert (anchor.path, anchor.line, anchor.text) == ("src/delete.py", 2, "b")


def test_a_scenario_is_shown_at_its_own_line_and_others_at_the_target() -> None:
    anchors = find_anchors(Sources(settings=SETTINGS), ["MT-AF-001", "MT-DEL-003"])
    assert anchors.of("MT-AF-001").line == 4
    assert anchors.of("MT-DEL-003").line == 2


def test_without_an_entry_in_the_settings_the_last_stage_of_the_dockerfile_is_next() -> None:
    settings = SourceFile("memtru.yml", "port: 80\n")
    anchor = find_anchors(Sources(settings=settings, dockerfile=DOCKERFILE)).default
    assert (anchor.path, anchor.line) == ("Dockerfile", 3)


def test_the_workflow_is_the_last_resort() -> None:
    anchor = find_anchors(Sources(workflow=WORKFLOW)).default
    assert (anchor.path, anchor.line) == (".github/workflows/ci.yml", 1)


def test_without_any_file_there_still_is_a_place() -> None:
    anchor = find_anchors(Sources()).default
    assert (anchor.path, anchor.line, anchor.end_column) == ("memtru.yml", 1, 1)


@pytest.mark.parametrize("text", ["target: [", "", "just text", "- a\n- b\n", "\ttarget: x"])
def test_settings_that_cannot_be_read_give_no_marks(text: str) -> None:
    anchor = find_anchors(Sources(settings=SourceFile("memtru.yml", text))).default
    assert anchor.line == 1


def test_an_anchor_ends_behind_its_last_utf16_unit() -> None:
    assert anchor_at(SourceFile("a", "x\n🦅b"), 2).end_column == 4


def test_an_anchor_carries_the_hash_of_its_line() -> None:
    text = "a\r\nb\r\n"
    assert anchor_at(SourceFile("a", text), 2).line_hash == line_hashes(text)[1]


def test_a_line_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="no line 3"):
        anchor_at(SourceFile("a.py", "1\n2\n"), 3)


def test_path_and_line_of_an_anchor() -> None:
    assert parse_anchor("src/a.py:12") == ("src/a.py", 12)
    assert parse_anchor("src/a.py") == ("src/a.py", 1)
    assert parse_anchor("src/a:b.py") == ("src/a:b.py", 1)


def test_an_origin_is_read_from_the_repository_and_the_environment(tmp_path: Path) -> None:
    workflow = tmp_path / ".github" / "workflows" / "ci.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("on: push\n")
    environ = {
        "GITHUB_REPOSITORY": "acme/memory",
        "GITHUB_SERVER_URL": "https://github.test",
        "GITHUB_SHA": "abc",
        "GITHUB_REF_NAME": "main",
        "GITHUB_WORKFLOW_REF": "acme/memory/.github/workflows/ci.yml@refs/heads/main",
    }
    origin = origin_of(tmp_path, environ=environ)
    assert origin.anchors.default.path == ".github/workflows/ci.yml"
    assert (origin.repository, origin.revision) == ("https://github.test/acme/memory", "abc")


def test_a_workflow_of_another_repository_is_no_anchor(tmp_path: Path) -> None:
    environ = {
        "GITHUB_REPOSITORY": "acme/memory",
        "GITHUB_WORKFLOW_REF": "other/repo/.github/workflows/ci.yml@main",
    }
    assert origin_of(tmp_path, environ=environ).anchors.default.path == "memtru.yml"


def test_an_anchor_outside_of_the_repository_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("x")
    root = tmp_path / "repo"
    root.mkdir()
    (root / "link").symlink_to(outside)
    for given in ("../outside.txt", "link", "missing.txt", "."):
        with pytest.raises(UsageError, match="there is no file"):
            origin_of(root, given=given)


def test_a_linked_file_is_named_by_where_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "real.yml").write_text("target: x\n")
    (tmp_path / "memtru.yml").symlink_to("real.yml")
    found = source_file(tmp_path, Path("memtru.yml"))
    assert found == SourceFile("real.yml", "target: x\n")


def test_the_root_of_a_repository_is_found_from_a_folder_inside(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert repository_root(inner) == tmp_path
