"""What a pull request gives the engine to build, and what a container writes to its log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtru_ci.containers.container import LOG_BYTES, MOST_LOG_BYTES, end_of
from memtru_ci.errors import UsageError
from memtru_ci.targets.build import check


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """A folder to build from."""
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    return tmp_path


@pytest.mark.parametrize("where", ["/dev/zero", "/etc/passwd", "../outside", "nowhere"])
def test_a_link_from_the_context_to_elsewhere_is_not_read(context: Path, where: str) -> None:
    (context / ".dockerignore").symlink_to(where)
    with pytest.raises(UsageError, match="is no file inside of the build context"):
        check(context, "Dockerfile")


@pytest.mark.parametrize("pattern", ["a*a*a*a*b", "x/" + "*a" * 40, "**/a/**/b/**/c/**", "**a" * 9])
def test_a_pattern_that_takes_ages_to_match_is_named(context: Path, pattern: str) -> None:
    (context / ".dockerignore").write_text(f"*.log\n{pattern}\n")
    with pytest.raises(UsageError, match=r"\.dockerignore:2: the pattern has more than 3 stars"):
        check(context, "Dockerfile")


def test_a_usual_dockerignore_is_taken(context: Path) -> None:
    text = "# all *** of it ******\n**/node_modules/**/test/*.py[co]\n!a/*/b/*\n*\n\n.git\n"
    (context / ".dockerignore").write_text(text)
    check(context, "Dockerfile")


def test_a_log_without_an_end_is_read_to_a_bound_and_kept_in_part() -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 16_384

    kept = end_of(pieces())
    assert len(kept) == LOG_BYTES
    assert read * 16_384 <= MOST_LOG_BYTES + 2 * 16_384
