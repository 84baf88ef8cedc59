"""When a content shows a secret: letters and numbers only, case and form folded."""

import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtru_ci.domain.marker import Marker, folded, mint_marker, mint_topic

MARKER = Marker(topic="kestrel5", secret="ab3d9", content="x")


@pytest.mark.parametrize(
    "content",
    [
        "it is ab3d9.",
        "AB3D9",
        "a b-3_d·9",
        "a\u200bb3d9",
        "\uff41\uff42\uff13\uff44\uff19",
        "a\nb\t3 d 9",
        "xxab3d9yy",
    ],
)
def test_a_secret_is_found_however_it_is_written(content: str) -> None:
    assert MARKER.shown_in([content])


@pytest.mark.parametrize("content", ["", "ab3d", "ab3 e d9", "9d3ba"])
def test_another_text_shows_nothing(content: str) -> None:
    assert not MARKER.shown_in([content])


def test_a_secret_is_not_put_together_from_several_contents() -> None:
    assert not MARKER.shown_in(["ab3", "d9"])


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_folded_as_all_text_is(text: str) -> None:
    normal = unicodedata.normalize("NFKC", text).casefold()

    assert folded(text) == re.sub("[^a-z0-9]", "", normal)
    assert folded(text + "é") == folded(text) + "é"


def test_a_query_never_shows_the_secret() -> None:
    source = random.Random(3)
    for _ in range(50):
        marker = mint_marker(source, mint_topic(source))
        assert not marker.shown_in([marker.query])
        assert marker.shown_in([marker.content])
        assert marker.topic in marker.content
