"""Vectors without a model: near for texts that share words, and fit for any store."""

import random
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtru_ci.domain.marker import mint_marker, mint_topic
from memtru_ci.domain.vectors import LONGEST_TEXT, MOST_DIMENSIONS, cosine, vector_of

DIMENSIONS = (256, 384, 1536)


def _near(one: str, other: str, dimensions: int = 1536) -> float:
    return cosine(vector_of(one, dimensions), vector_of(other, dimensions))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_query_is_nearest_to_the_memory_of_its_own_topic(dimensions: int) -> None:
    source = random.Random(7)
    markers = [mint_marker(source, mint_topic(source)) for _ in range(12)]
    for marker in markers:
        query = vector_of(marker.query, dimensions)
        nearest = max(markers, key=lambda one: cosine(query, vector_of(one.content, dimensions)))
        assert nearest is marker


@pytest.mark.parametrize("dimensions", DIMENSIONS)
@pytest.mark.parametrize(
    ("text", "similar", "other"),
    [
        ("Ann likes green tea", "Which tea does Ann like?", "The bridge opens on Monday"),
        ("the deployment failed twice", "deployments that fail", "my cat sleeps all day"),
        ("キャンプに行きました", "キャンプに行く", "東京の天気は晴れ"),
    ],
)
def test_a_similar_text_is_nearer_than_another(
    text: str, similar: str, other: str, dimensions: int
) -> None:
    assert _near(text, similar, dimensions) > _near(text, other, dimensions) + 0.1


def test_a_memory_is_near_to_the_query_that_asks_for_it() -> None:
    marker = mint_marker(random.Random(1), "kestrel123456789")
    assert _near(marker.query, marker.content) > 0.5
    assert abs(_near(marker.query, "Completely different words about nothing")) < 0.2


def test_case_width_and_punctuation_do_not_count() -> None:
    assert isclose(_near("Green TEA!", "green, tea"), 1)
    assert isclose(_near("\uff47\uff52\uff45\uff45\uff4e tea", "green tea"), 1)


def test_a_vector_is_the_same_in_every_process() -> None:
    vector = vector_of("green tea", 8)
    assert [round(one, 4) for one in vector] == PINNED


PINNED = [-0.25, 0.5, 0.75, 0.0, 0.0, 0.25, 0.25, 0.0]


@given(st.text(max_size=300), st.sampled_from((1, 2, 8, 384)))
def test_every_text_has_a_vector_of_length_one(text: str, dimensions: int) -> None:
    vector = vector_of(text, dimensions)
    assert len(vector) == dimensions
    assert isclose(cosine(vector, vector), 1, rel_tol=1e-9)


def test_texts_without_a_letter_have_vectors_too() -> None:
    for text in ("", "   ", "!!!", "\ud800"):
        assert isclose(_near(text, text), 1)
    assert _near("!!!", "???") < 0.5


def test_what_is_beyond_the_longest_text_does_not_count() -> None:
    long = "word " * (LONGEST_TEXT // 5)
    assert vector_of(long + "x" * 10_000_000, 16) == vector_of(long, 16)


@pytest.mark.parametrize("dimensions", [0, -1, MOST_DIMENSIONS + 1])
def test_a_number_of_dimensions_out_of_bounds_is_refused(dimensions: int) -> None:
    with pytest.raises(ValueError, match=f"not {dimensions}"):
        vector_of("text", dimensions)
