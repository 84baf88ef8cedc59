"""Makes text that came from a target harmless, for each place where it is written."""

import re
import unicodedata

_ZERO_WIDTH_SPACE = "\u200b"
COMMAND_BAR = "│ "
"""Begins a line that would else begin like a command."""
_BLOCK_START = re.compile(r"^(?:[-+=]|\d+(?=[.)](?:\s|$)))")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_ANGLES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_MARKDOWN_SPECIAL = re.compile(r"[\\`*\[\]~!|#@$]|(?<![^\W_])_|_(?![^\W_])")
_LINKS = re.compile(r"(://|(?:\bwww)(?=\.)|[@#](?=[\w\[]))", re.IGNORECASE)
_LINE_ENDS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_MERMAID_UNSAFE = re.compile(r"[^A-Za-z0-9 _.,+()/-]")
_MERMAID_KEYWORD = re.compile(r"\bend\b", re.IGNORECASE)


def shortened(text: str, limit: int) -> str:
    """The text, or as much of it as `limit` characters hold, and a note of what is missing."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … ({len(text) - limit} more characters)"


def lines_of(text: str) -> list[str]:
    """The lines, ended by anything that some reader takes for the end of a line."""
    return _LINE_ENDS.split(text)


def one_line(text: str) -> str:
    """All lines as one, with a sign where a line ended."""
    return " ⏎ ".join(part.strip() for part in lines_of(text.strip()))


def visible(text: str) -> str:
    """Control characters, ANSI escapes, direction marks and lone surrogates as `\\x1b`.

    Line feeds and tabs stay. Zero-width joiners stay too: scripts and emoji need them.
    """
    if text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def terminal_safe(text: str) -> str:
    """For one line on a terminal or in a log."""
    return visible(one_line(text)).replace("\t", " ")


def command_free(line: str) -> str:
    """The line with nothing in it that the runner of a workflow takes for a command.

    It takes `::` for one at the beginning of a line, and `##[` anywhere in it.
    """
    broken = line.replace("##[", f"##{_ZERO_WIDTH_SPACE}[")
    return f"{COMMAND_BAR}{broken}" if broken.lstrip().startswith("::") else broken


def html_safe(text: str) -> str:
    """For the text of an HTML element or a quoted attribute; lines stay lines."""
    lines = "\n".join(lines_of(text))
    return visible(lines).translate(_HTML).replace("##[", "#&#35;[")


def markdown_safe(text: str) -> str:
    """For the middle of a line of GitHub's Markdown, also in a table cell.

    Nothing in it can mark up, mention, refer to an issue or become a link.
    """
    line = terminal_safe(text).translate(_ANGLES)
    escaped = _MARKDOWN_SPECIAL.sub(lambda found: f"\\{found[0]}", line)
    escaped = _BLOCK_START.sub(_held_back, escaped)
    return _LINKS.sub(lambda found: f"{found[0]}{_ZERO_WIDTH_SPACE}", escaped)


def mermaid_safe(text: str) -> str:
    """For a label of a diagram, which should be of a fixed vocabulary all the same."""
    kept = _MERMAID_UNSAFE.sub(" ", one_line(text))
    return " ".join(_MERMAID_KEYWORD.sub("ended", kept).split())[:80]


def _held_back(start: re.Match[str]) -> str:
    """The start of a list or a rule as plain text."""
    return f"{start[0]}\\" if start[0].isdecimal() else f"\\{start[0]}"


def _shown(char: str) -> str:
    if char in "\n\t" or char.isprintable():
        return char
    category = unicodedata.category(char)
    if category == "Zs" or char in "\u200c\u200d":
        return " " if category == "Zs" else char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
