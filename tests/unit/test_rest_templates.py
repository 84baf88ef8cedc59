"""No value can leave its place in a request: neither its segment, nor its text, nor its header."""

import json
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from memtru_ci.services.address import in_query
from memtru_ci.services.rest.mapped import headed, queried
from memtru_ci.services.rest.templates import (
    ABSENT,
    BadTemplate,
    embedded_names_in,
    names_in,
    rendered,
    rendered_path,
    whole_names_in,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VALUES = st.one_of(TEXTS, st.integers(), st.booleans(), st.lists(st.floats(allow_nan=False)))


@given(st.one_of(TEXTS.filter(bool), st.text("./%\\?#&{}", min_size=1, max_size=6)))
def test_no_value_leaves_its_segment_of_a_path(value: str) -> None:
    path = rendered_path("/a/{one}/b-{one}", {"one": value})
    assert path.isascii()
    segments = path.split("/")
    assert len(segments) == 4
    assert not {"?", "#", " "} & set(path)
    assert segments[2] not in (".", "..", "")
    assert unquote(segments[2]) == value
    assert unquote(segments[3]) == f"b-{value}"
    assert urlsplit(f"http://host{path}").path == path


@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_two_values_in_one_segment_are_no_way_up(one: str, other: str) -> None:
    segment = rendered_path("/{one}{other}", {"one": one, "other": other})[1:]
    assert segment not in (".", "..")
    assert "/" not in segment


@given(VALUES, TEXTS)
def test_no_value_breaks_out_of_a_json_body(value: object, text: str) -> None:
    template = {"whole": "{value}", "inside": "<{text}>", "list": ["{text}", {"deep": "{value}"}]}
    body = rendered(template, {"value": value, "text": text})  # type: ignore[dict-item]
    sent = json.loads(to_json(body))
    assert sent == {"whole": value, "inside": f"<{text}>", "list": [text, {"deep": value}]}


@given(TEXTS)
def test_no_value_becomes_another_parameter_of_the_query(value: str) -> None:
    query = in_query(queried({"q": "{value}", "more": ["a", "{value}"]}, {"value": value}))
    pairs = [part.split("=") for part in query.removeprefix("?").split("&")]
    assert [unquote(name) for name, _ in pairs] == ["q", "more", "more"]
    assert [unquote(text) for _, text in pairs] == [value, "a", value]


@given(TEXTS)
def test_a_header_is_visible_ascii_or_is_refused(value: str) -> None:
    try:
        (text,) = headed({"X-Key": "a{value}z"}, {"value": value}).values()
    except BadTemplate:
        assert any(not " " <= char <= "~" for char in value)
    else:
        assert all(" " <= char <= "~" for char in text)


def test_a_text_that_is_one_placeholder_keeps_its_type() -> None:
    body = rendered(["{n}", "{v}", "{t}", "n={n}"], {"n": 3, "v": [0.5], "t": True})
    assert body == [3, [0.5], True, "n=3"]


def test_what_stands_for_nothing_is_left_out_with_its_key() -> None:
    template = {"thread": "{thread}", "in": "x-{thread}", "list": ["{thread}", "{a}"], "null": None}
    assert rendered(template, {"thread": None, "a": 1}) == {"list": [1], "null": None}
    assert rendered("{thread}", {"thread": None}) is ABSENT
    assert queried({"t": "{thread}"}, {"thread": None}) == {}
    assert headed({"X-Key": "{thread}"}, {"thread": None}) == {}


def test_braces_are_written_twice() -> None:
    assert rendered("{{{a}}}", {"a": "b"}) == "{b}"
    assert rendered("{{a}}", {}) == "{a}"


@pytest.mark.parametrize("template", ["{", "}", "{a", "a}", "{A}", "{a b}", "{a.b}", "{a!r}", "{}"])
def test_a_single_brace_is_no_template(template: str) -> None:
    with pytest.raises(BadTemplate, match="single"):
        names_in(template)


def test_the_text_of_a_value_is_never_a_template_again() -> None:
    assert rendered("{a}-{b}", {"a": "{b}", "b": "x"}) == "{b}-x"
    assert rendered_path("/{a}", {"a": "{b}"}) == "/%7Bb%7D"


def test_names_are_told_apart_by_where_they_stand() -> None:
    template = {"a": "{one}", "b": ["x {two}"], "c": 3}
    assert names_in(template) == {"one", "two"}
    assert whole_names_in(template) == {"one"}
    assert embedded_names_in(template) == {"two"}


@pytest.mark.parametrize(
    ("template", "values", "why"),
    [
        ("/{a}", {"a": ""}, "empty"),
        ("/{a}", {"a": ["x"]}, "list"),
        ("/{a}", {"a": None}, "cannot stand"),
        ("/{b}", {"a": "x"}, "no {b} here"),
    ],
)
def test_a_path_that_would_be_another_one_is_refused(
    template: str, values: dict[str, object], why: str
) -> None:
    with pytest.raises(BadTemplate, match=why):
        rendered_path(template, values)  # type: ignore[arg-type]
