"""Nothing that a target says is a command in the log of a step."""

import io
import re

import pytest

from memtru_ci.github.log import Log, command, harmless
from tests.unit.test_reporters_text import INJECTIONS

COMMANDS = (
    *("add-mask", "add-path", "set-env", "set-output", "save-state", "add-matcher"),
    *("remove-matcher", "debug", "notice", "warning", "error", "group", "endgroup", "echo"),
    "stop-commands",
)
HOSTILE = (
    *INJECTIONS,
    *(f"::{name}::x" for name in COMMANDS),
    *(f"\t ::{name} a=b::x" for name in COMMANDS),
    *(f"text ##[{name}]x" for name in COMMANDS),
    "a\r::error::x",
    "a\u2028::error::x",
    "####[error]x",
    "\u00a0::error::x",
    "\u200b::error::x",
)


def commands_in(text: str) -> list[str]:
    """What the runner takes for a command: it ends lines at CR and LF, and trims them."""
    found: list[str] = []
    for line in re.split(r"\r\n|\r|\n", text):
        new_form = re.match(r"\s*::([\w-]+)( [^:]*)?::", line)
        old_form = re.search(r"##\[([\w-]+)[^\]]*\]", line)
        found.extend(match[1] for match in (new_form or old_form,) if match)
    return found


def logged() -> tuple[Log, io.StringIO]:
    """A log, and what it wrote."""
    out = io.StringIO()
    return Log(out), out


@pytest.mark.parametrize("text", HOSTILE)
def test_a_line_of_a_target_is_no_command(text: str) -> None:
    log, out = logged()
    log.line(text)
    log.line(f"  {text}")
    assert commands_in(out.getvalue()) == []
    assert out.getvalue().count("\n") == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_a_command_with_any_text_stays_the_only_command(text: str) -> None:
    written = command("error", text, file=text, title=text)
    assert commands_in(written) == ["error"]
    assert not set("\r\n") & set(written)
    head = written.split("::")[1]
    assert head.count(",") == head.count("=") - 1 or "=" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_lines_of_a_targets_log_are_shown_while_commands_are_off(text: str) -> None:
    log, out = logged()
    log.foreign("Its log", f"{text}\n{text}")
    lines = out.getvalue().splitlines()
    token = lines[1].removeprefix("::stop-commands::")
    assert lines[0] == "::group::Its log"
    assert lines[-2:] == [f"::{token}::", "::endgroup::"]
    assert commands_in("\n".join(lines[2:-2])) == []
    assert all(line.startswith("│ ") for line in lines[2:-2])


def test_the_token_that_switches_commands_on_again_is_another_one_each_time() -> None:
    log, out = logged()
    log.foreign("a", "x")
    log.foreign("b", "x")
    tokens = re.findall(r"::stop-commands::(\w+)", out.getvalue())
    assert len(set(tokens)) == 2
    assert all(len(token) == 32 for token in tokens)


def test_data_and_properties_are_escaped_each_in_their_way() -> None:
    written = command("error", "50% a:b,c\nd", file="a,b:c%d.py", line=3)
    assert written == "::error file=a%2Cb%3Ac%25d.py,line=3::50%25 a:b,c%0Ad"


def test_an_empty_property_is_left_out() -> None:
    assert command("warning", "x", file="", line=0, title="t") == "::warning title=t::x"


def test_messages_are_cut_before_the_runner_cuts_them() -> None:
    assert len(command("error", "x" * 100_000)) < 4_096


def test_a_group_ends_before_the_next_begins() -> None:
    log, out = logged()
    log.open_group("a")
    log.open_group("b")
    log.close_group()
    log.close_group()
    assert out.getvalue().split() == ["::group::a", "::endgroup::", "::group::b", "::endgroup::"]


def test_secrets_are_masked_line_by_line_and_short_ones_are_not() -> None:
    log, out = logged()
    log.mask(["first line\nsecond%line\r\n1", "abc", "true", "FALSE", "    "])
    assert out.getvalue().splitlines() == ["::add-mask::second%25line", "::add-mask::first line"]


def test_a_harmless_line_keeps_its_indent() -> None:
    assert harmless("  0.1 s  delete") == "  0.1 s  delete"
