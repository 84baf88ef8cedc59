"""What is kept of an answer is small, can be written, and still shows what the answer showed."""

import json
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from memtru_ci.domain.legible import legible
from memtru_ci.domain.marker import Marker, folded, mint_marker
from memtru_ci.domain.reduction import IDS_KEPT, RESULTS_PER_SECRET, WHOLE_BYTES, reduce_answer

MARKER = mint_marker(random.Random(1), "kestrel1")
BYSTANDER = mint_marker(random.Random(2), "kestrel1")
SECRETS = (MARKER.secret, BYSTANDER.secret)
FILLER = "the weather was fine. " * 20


def _result(content: str, number: int = 0) -> JsonValue:
    return {"id": f"m{number}", "content": content, "metadata": {"k": FILLER}}


def _contents(answer: JsonValue) -> list[str]:
    assert isinstance(answer, dict)
    results = answer["results"]
    assert isinstance(results, list)
    return [str(one["content"]) for one in results if isinstance(one, dict)]


def _noise(count: int) -> list[JsonValue]:
    return [_result(FILLER, number) for number in range(count)]


def test_a_small_answer_is_kept_whole() -> None:
    answer: JsonValue = {"results": [_result(MARKER.content)], "next_cursor": None}

    assert reduce_answer(answer, SECRETS) == (answer, False)


def test_of_a_large_answer_the_results_with_a_secret_stay_and_the_rest_is_counted() -> None:
    telling = [_result(MARKER.content, 77), _result(BYSTANDER.content, 78)]
    answer: JsonValue = {"results": _noise(50) + telling, "next_cursor": "c1", "echo": FILLER}

    kept, reduced = reduce_answer(answer, SECRETS)

    assert reduced
    assert kept == {
        "results": [
            {"id": "m77", "content": MARKER.content},
            {"id": "m78", "content": BYSTANDER.content},
        ],
        "omitted_results": 50,
        "next_cursor": "c1",
    }


def test_a_large_answer_without_a_secret_keeps_no_result() -> None:
    kept, reduced = reduce_answer({"results": _noise(50), "next_cursor": None}, SECRETS)

    assert kept == {"results": [], "omitted_results": 50, "next_cursor": None}
    assert reduced


def test_a_long_content_is_clipped_around_the_secret() -> None:
    answer: JsonValue = {"results": [_result(FILLER * 500 + MARKER.content + FILLER * 500)]}

    kept, _ = reduce_answer(answer, SECRETS)

    assert MARKER.shown_in(_contents(kept))
    assert len(json.dumps(kept)) < 1000


def test_a_content_with_two_secrets_far_apart_shows_both_afterwards() -> None:
    content = MARKER.content + FILLER * 500 + BYSTANDER.content
    kept, _ = reduce_answer({"results": [_result(content)]}, SECRETS)

    assert MARKER.shown_in(_contents(kept))
    assert BYSTANDER.shown_in(_contents(kept))


@pytest.mark.parametrize(
    "disguise",
    [
        str.upper,
        lambda text: " ".join(text),
        lambda text: "\u200b".join(text),
        lambda text: ("-" * 5000).join(text),
        lambda text: "".join(chr(ord(char) + 0xFEE0) for char in text),
        lambda text: "é\u0301" + text + "\u0301",
        lambda text: "\ud800".join(text),
    ],
)
def test_a_secret_in_another_dress_is_still_shown_by_what_is_kept(disguise: object) -> None:
    content = FILLER * 100 + disguise(MARKER.secret) + FILLER * 100  # type: ignore[operator]
    assert MARKER.shown_in([content])

    kept, reduced = reduce_answer({"results": [_result(content)]}, SECRETS)

    assert reduced
    assert MARKER.shown_in(_contents(kept))
    assert not BYSTANDER.shown_in(_contents(kept))
    assert len(json.dumps(kept)) < 2000


def test_a_flood_of_one_secret_does_not_drown_another() -> None:
    flood = [_result(MARKER.content, number) for number in range(1000)]
    answer: JsonValue = {"results": [*flood, _result(BYSTANDER.content)]}

    kept, _ = reduce_answer(answer, SECRETS)

    assert BYSTANDER.shown_in(_contents(kept))
    assert len(_contents(kept)) == RESULTS_PER_SECRET + 1
    assert len(json.dumps(kept)) < WHOLE_BYTES


def test_results_that_are_no_results_are_counted_and_not_kept() -> None:
    odd: list[JsonValue] = [None, 3, [], {}, {"content": 4}, {"content": MARKER.content, "id": 5}]

    kept, _ = reduce_answer({"results": odd + _noise(50)}, SECRETS)

    assert kept == {
        "results": [{"content": MARKER.content}],
        "omitted_results": 55,
        "next_cursor": None,
    }


def test_an_empty_secret_is_shown_by_nothing() -> None:
    kept, _ = reduce_answer({"results": _noise(50)}, ("", "--"))

    assert _contents(kept) == []


@pytest.mark.parametrize("answer", ["x" * 100_000, "ü😀" * 50_000])
def test_a_long_text_keeps_its_beginning(answer: str) -> None:
    kept, reduced = reduce_answer(answer, SECRETS)

    assert reduced
    assert isinstance(kept, str)
    assert answer.startswith(kept)
    assert WHOLE_BYTES - 4 < len(kept.encode()) <= WHOLE_BYTES


def test_a_large_answer_of_another_shape_keeps_its_beginning_as_text() -> None:
    kept, reduced = reduce_answer({"detail": "x" * 100_000}, SECRETS)

    assert reduced
    assert isinstance(kept, str)
    assert kept.startswith('{"detail": "xxx')


def test_what_utf8_json_cannot_hold_is_replaced() -> None:
    kept, reduced = reduce_answer({"a\ud800": ["\udfffb", float("inf"), "\x00"]}, SECRETS)

    assert kept == {"a\ufffd": ["\ufffdb", "inf", "\x00"]}
    assert not reduced


def test_of_a_large_policy_answer_the_first_ids_stay() -> None:
    ids: list[JsonValue] = [f"fact {number}" for number in range(1000)]
    kept, reduced = reduce_answer({"ids": ids, "results": [{"value": FILLER}]}, ())

    assert isinstance(kept, dict)
    assert (kept["ids"], kept["omitted_ids"]) == (ids[:IDS_KEPT], 1000 - IDS_KEPT)
    assert kept["results"] == []
    assert reduced


def test_ids_of_a_policy_answer_are_cut_to_the_length_that_the_contract_allows() -> None:
    kept, _ = reduce_answer({"ids": ["x" * 9000]}, ())

    assert kept == {"ids": ["x" * 512], "omitted_ids": 0}


_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=50)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXT, inner, max_size=5),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from(["results", "next_cursor", "ids", "x"]), _JSON),
    st.integers(0, 99),
)
def test_whatever_comes_what_is_kept_can_be_written(answer: JsonValue, limit: int) -> None:
    kept, _ = reduce_answer(answer, SECRETS, limit)

    json.dumps(kept, ensure_ascii=False, allow_nan=False).encode()


@given(st.text(string.printable + "é\u0301\ufb01\uff21\u200b", max_size=400), st.integers(0, 400))
def test_what_a_content_shows_it_still_shows_when_it_is_kept(around: str, at: int) -> None:
    marker = Marker(topic="t", secret="q7zk3", content="")
    content = around[:at] + marker.secret + around[at:]

    kept, _ = reduce_answer({"results": [_result(content)]}, [marker.secret], 0)

    assert marker.shown_in([content]) == marker.shown_in(_contents(kept))


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_folded_as_any_text_is(text: str) -> None:
    # A letter beyond ASCII takes the other way through the folding.
    assert folded(text) == folded(f"{text} ж").removesuffix("ж")


def test_legible_text_shows_what_would_act_on_a_terminal_or_mislead_a_reader() -> None:
    assert legible("a\x1b[0m\u202eb\u2028\ud800 é\u00a0") == (
        "a\\u001b[0m\\u202eb\\u2028\\ud800 é\u00a0"
    )


def test_legible_text_is_cut_visibly() -> None:
    assert legible("abcdef", 3) == "abc…"
    assert legible("abc", 3) == "abc"
