"""Names and texts of a target, in a sentence of the gate's own."""

from memtru_ci.domain.legible import MOST_LISTED, legible, listed


def test_what_cannot_be_seen_is_written_out() -> None:
    assert legible("a\n\u202eb") == "a\\u000a\\u202eb"


def test_names_in_a_sentence_are_few_short_and_on_one_line() -> None:
    assert listed(["search", "a\n::error::b"]) == "search, a\\u000a::error::b"
    many = listed(["x" * 512] * (MOST_LISTED + 3))
    assert many.endswith(" and 3 more")
    assert len(many) < MOST_LISTED * 70


def test_no_names_make_no_words() -> None:
    assert listed([]) == ""
