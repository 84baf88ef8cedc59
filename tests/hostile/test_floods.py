"""Huge answers neither stop the gate nor fill the disk, and texts stay texts anywhere."""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from tests.hostile.floods import ESCAPES, FLOODS, LEAKS, SECRET, secret_forms
from tests.hostile.performing import Case, Performed, judged_again, perform_all

MOST_BYTES = {"report.json": 6_000_000, "memtru.sarif": 100_000, "summary.md": 100_000}
MOST_TEXT = 20_000

OWN_COMMANDS = (
    "::group::MT-",
    "::endgroup::",
    "::error file=memtru.yml,line=1,title=MT-",
    "::error title=MT-",
)
"""How the lines of the gate's own begin that are commands."""

ALLOWED_FORMAT = "\u200b\u200c\u200d"
ACTIVE_MARKUP = re.compile(
    r"<(?:img|script)|(?<!\\)\]\((?:http|javascript)|(?<!\\)!\[|(?<!\\)@octocat", re.I
)


@pytest.fixture(scope="module")
def performed() -> dict[str, Performed]:
    """Every case, performed side by side."""
    return anyio.run(perform_all, [*FLOODS, *ESCAPES])


@pytest.fixture(scope="module")
def leaking() -> dict[str, Performed]:
    """Every case that leaks, performed with the secret known."""
    return anyio.run(perform_all, LEAKS, [SECRET])


@pytest.mark.parametrize("case", [*FLOODS, *ESCAPES], ids=str)
def test_the_verdict_is_what_the_service_deserves(
    performed: dict[str, Performed], case: Case
) -> None:
    done = performed[case.name]
    assert done.verdict == (case.verdict, case.cause), done.result.reason


@pytest.mark.parametrize("case", [*FLOODS, *ESCAPES], ids=str)
def test_everything_that_is_written_stays_within_bounds(
    performed: dict[str, Performed], case: Case
) -> None:
    done = performed[case.name]
    for name, most in MOST_BYTES.items():
        assert len(done.documents[name].encode()) < most, name
    for name, text in done.texts.items():
        assert len(text) < MOST_TEXT, name
    assert judged_again(done) == []


@pytest.mark.parametrize("case", [*FLOODS, *ESCAPES], ids=str)
def test_no_text_of_a_service_is_a_command_or_moves_the_cursor(
    performed: dict[str, Performed], case: Case
) -> None:
    for name, text in performed[case.name].texts.items():
        assert not _invisible(text), name
        assert "##[" not in text, name
        for line in text.split("\n"):
            is_command = line.lstrip().startswith("::")
            assert not is_command or line.startswith(OWN_COMMANDS), (name, line)


@pytest.mark.parametrize("case", [*FLOODS, *ESCAPES], ids=str)
def test_no_text_of_a_service_marks_up_a_document(
    performed: dict[str, Performed], case: Case
) -> None:
    done = performed[case.name]
    summary = done.documents["summary.md"]
    assert not _invisible(summary)
    assert not ACTIVE_MARKUP.search(summary)
    assert "# owned-heading" not in [line.lstrip() for line in summary.split("\n")]
    assert summary.count("<details") == summary.count("</details>")
    sarif = json.loads(done.documents["memtru.sarif"])
    # Plain texts of SARIF know links, and nothing of HTML.
    for text in _texts(sarif, "text"):
        assert not _invisible(text)
        assert "](" not in text.replace("\\](", "")
    for text in _texts(sarif, "markdown"):
        assert not _invisible(text)
        assert not ACTIVE_MARKUP.search(text), text


@pytest.mark.parametrize("case", LEAKS, ids=str)
def test_a_secret_is_in_nothing_that_is_shown_or_written(
    leaking: dict[str, Performed], case: Case
) -> None:
    done = leaking[case.name]
    assert done.verdict == (case.verdict, case.cause), done.result.reason
    for name, text in done.everything.items():
        for form in (*secret_forms(), json.dumps(SECRET)[1:-1]):
            assert form not in text, name
    assert "[redacted]" in done.documents["report.json"]
    assert judged_again(done) == []


def _invisible(text: str) -> set[str]:
    """The characters that are not seen, or change how others are."""
    return {
        char
        for char in set(text) - {"\n"} - set(ALLOWED_FORMAT)
        if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }


def _texts(value: Any, kind: str) -> Iterator[str]:
    """The texts of a SARIF document that are written in one way."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one, kind)
    if isinstance(value, dict):
        for key, one in value.items():
            if key == kind and isinstance(one, str):
                yield one
            else:
                yield from _texts(one, kind)
