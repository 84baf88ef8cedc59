"""What a target says stays text, wherever it is written."""

import pytest
from markdown_it import MarkdownIt

from memtru_ci.reporters.text import (
    html_safe,
    lines_of,
    markdown_safe,
    mermaid_safe,
    shortened,
    terminal_safe,
    visible,
)

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

INJECTIONS = (
    "::set-env name=A::b",
    "  ::error::x",
    "a ##[error]x",
    "\r::add-mask::a",
    "::stop-commands::x",
    "</details><script>alert(1)</script>",
    "| @user #1",
    "`" * 200,
    "``` \n# heading\n",
    "**bold** _soft_ ~~gone~~ __both__",
    "![beacon](http://evil.test/x.png)",
    "[link](javascript:alert(1))",
    "<http://evil.test>",
    "&lt;b&gt; &#60;b&#62;",
    "\x1b[31mred\x1b[0m \x07",
    "\u202egnp.exe",
    "- item",
    "1. item",
    "===",
    "\\| \\` \\\\",
    "\ud800",
    "$x$",
)


@pytest.mark.parametrize("text", INJECTIONS)
def test_markdown_of_any_text_is_one_paragraph_of_text(text: str) -> None:
    tokens = GITHUB.parse(markdown_safe(text))
    assert [token.type for token in tokens] in (
        [],
        ["paragraph_open", "inline", "paragraph_close"],
    )
    inner = {child.type for token in tokens for child in token.children or []}
    assert inner <= {"text", "text_special"}


@pytest.mark.parametrize("text", INJECTIONS)
def test_markdown_of_any_text_stays_in_its_table_cell(text: str) -> None:
    document = f"| a | b |\n| --- | --- |\n| {markdown_safe(text)} | kept |\n"
    tokens = GITHUB.parse(document)
    cells = [token.type for token in tokens].count("td_open")
    assert cells == 2
    assert "kept" in [token.content for token in tokens]


@pytest.mark.parametrize("text", ["@user", "#1", "see #1 and @acme/team", "x@example.test"])
def test_markdown_neither_mentions_nor_refers(text: str) -> None:
    safe = markdown_safe(text)
    assert not any(f"{sign}{char}" in safe for sign in "@#" for char in "abcdefgh1u")


def test_markdown_links_no_bare_address() -> None:
    assert "http://evil" not in markdown_safe("http://evil.test")
    assert "www.evil" not in markdown_safe("www.evil.test")


def test_markdown_leaves_codes_readable() -> None:
    assert markdown_safe("release_pending_writes (204)") == "release_pending_writes (204)"
    assert markdown_safe("0.1.0") == "0.1.0"


@pytest.mark.parametrize("text", INJECTIONS)
def test_html_of_any_text_holds_no_tag_and_no_quote(text: str) -> None:
    assert not set("<>\"'\x1b\x07\r\u202e") & set(html_safe(text))


def test_html_keeps_lines() -> None:
    assert html_safe("a\r\nb\rc\u2028d") == "a\nb\nc\nd"


@pytest.mark.parametrize("text", INJECTIONS)
def test_a_terminal_gets_one_line_without_control_characters(text: str) -> None:
    safe = terminal_safe(text)
    assert safe.isprintable()
    assert len(safe.splitlines()) <= 1
    safe.encode()


def test_control_characters_are_shown_and_not_dropped() -> None:
    assert terminal_safe("\x1b[31mred") == "\\x1b[31mred"
    assert visible("\u202egnp.exe") == "\\u202egnp.exe"
    assert terminal_safe("a\nb") == "a ⏎ b"


def test_every_kind_of_line_end_ends_a_line() -> None:
    assert lines_of("a\nb\rc\r\nd\u2028e\x85f\vg\fh") == list("abcdefgh")


@pytest.mark.parametrize("text", [*INJECTIONS, "x; Note over G: y", "end", "a\nG->>S: b", "#35;"])
def test_a_diagrams_label_holds_no_syntax(text: str) -> None:
    safe = mermaid_safe(text)
    assert not set(";#:<>`\n\r%{}[]\"'|&\\") & set(safe)
    assert "end" not in safe.lower().split()
    assert len(safe) <= 80


def test_shortening_says_how_much_is_missing() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("a" * 10, 3) == "aaa … (7 more characters)"
