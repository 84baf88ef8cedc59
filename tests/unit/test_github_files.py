"""Values reach GitHub's files whole, whatever they hold."""

from pathlib import Path

import pytest

from memtru_ci.github.files import MAX_SUMMARY_BYTES, add_summary, set_values


def parsed(text: str) -> dict[str, str]:
    """The file as the runner reads it; fails where it would fail the step."""
    values: dict[str, str] = {}
    lines = text.split("\n")
    while lines:
        line = lines.pop(0)
        if not line:
            continue
        name, mark, delimiter = line.partition("<<")
        assert mark
        assert "=" not in name
        end = lines.index(delimiter)
        values[name] = "\n".join(lines[:end])
        lines = lines[end + 1 :]
    return values


@pytest.mark.parametrize(
    "value",
    ["", "x", "a\nb=c\nd<<EOF\nEOF\n", "\r\n", "ghadelimiter_\n", "🦅", "a<<b", "::error::x"],
)
def test_a_value_comes_out_as_it_went_in(value: str, tmp_path: Path) -> None:
    file = tmp_path / "output"
    environ = {"GITHUB_OUTPUT": str(file)}
    assert set_values("GITHUB_OUTPUT", environ, {"results": value, "verdict": "fail"})
    assert parsed(file.read_bytes().decode()) == {"results": value, "verdict": "fail"}


def test_values_are_appended(tmp_path: Path) -> None:
    file = tmp_path / "output"
    for value in ("one", "two"):
        set_values("GITHUB_OUTPUT", {"GITHUB_OUTPUT": str(file)}, {"a": value})
    assert parsed(file.read_text()) == {"a": "two"}


def test_delimiters_are_made_by_chance(tmp_path: Path) -> None:
    file = tmp_path / "output"
    set_values("GITHUB_OUTPUT", {"GITHUB_OUTPUT": str(file)}, {"a": "", "b": ""})
    found = {line for line in file.read_text().split("\n") if line.startswith("ghadelimiter_")}
    assert len(found) == 2


@pytest.mark.parametrize("environ", [{}, {"GITHUB_OUTPUT": "/nowhere/at/all"}])
def test_a_file_that_is_not_there_is_warned_of_and_no_more(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert not set_values("GITHUB_OUTPUT", environ, {"a": "b"})
    assert "GITHUB_OUTPUT" in capsys.readouterr().err


def test_a_summary_over_the_limit_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "summary"
    environ = {"GITHUB_STEP_SUMMARY": str(file)}
    assert add_summary(environ, "x" * MAX_SUMMARY_BYTES)
    assert not add_summary(environ, "🦅" * (MAX_SUMMARY_BYTES // 4 + 1))
    assert file.stat().st_size == MAX_SUMMARY_BYTES
    assert "over 1 MiB" in capsys.readouterr().err
