"""Secrets show up in no form."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from memtru_ci.domain.redaction import REPLACEMENT, Redactor, guessed_secrets, looks_secret
from memtru_ci.domain.report import Report
from tests.examples import failed, report

SECRET = 'p@ss "word"/ü+1'
RAW = SECRET.encode()


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        base64.b64encode(RAW).decode(),
        base64.urlsafe_b64encode(RAW).decode().rstrip("="),
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").replace("%C3", "%c3").replace("%BC", "%bc"),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        RAW.hex(),
    ],
)
def test_every_form_of_a_secret_is_taken_out(form: str) -> None:
    assert Redactor([SECRET]).text(f"before {form} after") in (
        f"before {REPLACEMENT} after",
        f"before {REPLACEMENT}= after",
    )


@pytest.mark.parametrize("user", ["a", "ab", "abc", "abcd"])
def test_the_base64_of_credentials_gives_nothing_away(user: str) -> None:
    secret = "correct-horse-battery"
    header = base64.b64encode(f"{user}:{secret}".encode()).decode()
    cleaned = Redactor([secret]).text(f"Basic {header}")
    kept = cleaned.removeprefix("Basic ").split(REPLACEMENT)
    assert REPLACEMENT in cleaned
    assert all(len(part) <= 8 for part in kept)


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["abc", "abcdef"]).text("abcdef") == REPLACEMENT


def test_a_line_of_a_secret_of_several_lines_is_taken_out() -> None:
    assert Redactor(["-----BEGIN\nMIIEvQIBADANBg\nEND"]).text("x MIIEvQIBADANBg") == (
        f"x {REPLACEMENT}"
    )


def test_an_empty_secret_takes_nothing_out() -> None:
    assert Redactor([""]).text("text") == "text"


def test_json_is_redacted_in_texts_and_keys_at_any_depth() -> None:
    value = {"a": ["s3cret", {"s3cret": "x s3cret"}], "n": 1, "t": True, "z": None}
    assert Redactor(["s3cret"]).json(value) == {
        "a": [REPLACEMENT, {REPLACEMENT: f"x {REPLACEMENT}"}],
        "n": 1,
        "t": True,
        "z": None,
    }


def test_a_report_is_redacted_and_still_a_report() -> None:
    whole = report(failed())
    secret = whole.results[0].reason
    clean = Redactor([secret]).model(whole)
    assert secret not in clean.model_dump_json()
    assert Report.model_validate_json(clean.model_dump_json()) == clean


def test_a_secret_that_is_one_of_the_gates_own_words_breaks_no_report() -> None:
    whole = report(failed())
    clean = Redactor(["FAIL", "high", "search", "1.0", "delete"]).model(whole)
    assert [one.verdict for one in clean.results] == [one.verdict for one in whole.results]
    assert clean.results[0].severity == whole.results[0].severity
    assert Report.model_validate_json(clean.model_dump_json()) == clean


@pytest.mark.parametrize("name", ["API_KEY", "db_password", "AUTH_HEADER", "MyToken", "PRIVATE_X"])
def test_a_variable_whose_name_looks_secret_is_one(name: str) -> None:
    assert looks_secret(name)


def test_only_long_values_are_taken_for_secrets_by_their_name() -> None:
    env = {"API_KEY": "abc", "TOKEN": "abcd", "LOG_LEVEL": "debug-level"}
    assert guessed_secrets(env) == ["abcd"]
