"""Events and queries: what is read, what is rejected, and why."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtru_ci.policy import events, fields, instants, query
from memtru_ci.policy.events import EventRejected
from memtru_ci.policy.query import Query, QueryRejected
from memtru_ci.policy.store import PolicyStore
from tests.unit.policy_examples import ask, assertion, correction, tombstone


def reason_of(raw: object) -> str | None:
    return PolicyStore().add(raw)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-01T01:00:00Z", datetime(2026, 1, 1, 1, tzinfo=UTC)),
        ("2026-01-01t01:00:00z", datetime(2026, 1, 1, 1, tzinfo=UTC)),
        ("2026-01-01T01:00:00+05:30", datetime(2025, 12, 31, 19, 30, tzinfo=UTC)),
        ("2026-01-01T01:00:00-00:00", datetime(2026, 1, 1, 1, tzinfo=UTC)),
        ("2026-01-01T01:00:00.1Z", datetime(2026, 1, 1, 1, 0, 0, 100_000, tzinfo=UTC)),
        ("2026-01-01T01:00:00.1234569Z", datetime(2026, 1, 1, 1, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_an_instant_is_read_into_utc(text: str, expected: datetime) -> None:
    assert instants.parse(text) == expected
    assert instants.parse(text).tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2026-01-01T01:00:00", "naive_timestamp"),
        ("2026-01-01", "bad_timestamp"),
        ("2026-01-01 01:00:00Z", "bad_timestamp"),
        ("2026-01-01T24:00:00Z", "bad_timestamp"),
        ("2026-01-01T23:59:60Z", "bad_timestamp"),
        ("2026-02-30T01:00:00Z", "bad_timestamp"),
        ("0001-01-01T00:00:00+05:00", "bad_timestamp"),
        ("9999-12-31T23:59:59-05:00", "bad_timestamp"),
        ("0000-01-01T00:00:00Z", "bad_timestamp"),
        ("2026-W01-1T01:00:00Z", "bad_timestamp"),
        ("٢026-01-01T01:00:00Z", "bad_timestamp"),
        ("2026-01-01T01:00:00+0500", "bad_timestamp"),
        ("2026-01-01T01:00:00.Z", "bad_timestamp"),
        ("2026-01-01T01:00:00Z\n", "bad_timestamp"),
        (f"2026-01-01T01:00:00.{'1' * 100}Z", "bad_timestamp"),
        ("", "bad_timestamp"),
    ],
)
def test_what_is_no_instant_is_rejected(text: str, code: str) -> None:
    reason = reason_of(assertion("a") | {"recorded_at": text})
    assert reason == f"{code}: recorded_at is RFC 3339 with an offset"


@given(st.datetimes(timezones=st.just(UTC)), st.integers(-23 * 60, 23 * 60))
def test_an_instant_is_the_same_in_every_offset(moment: datetime, minutes: int) -> None:
    try:
        elsewhere = moment.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:
        return
    assert instants.parse(elsewhere.isoformat()) == moment
    assert instants.parse(instants.text_of(moment)) == moment


DEEP: Any = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "not_an_object"),
        ([], "not_an_object"),
        ("text", "not_an_object"),
        (DEEP, "not_an_object"),
        ({}, "unknown_kind"),
        (assertion("a") | {"kind": ["assertion"]}, "unknown_kind"),
        (assertion("a") | {"kind": "Assertion"}, "unknown_kind"),
        (assertion("a") | {"id": ""}, "bad_length"),
        (assertion("a") | {"id": 7}, "bad_type"),
        (assertion("a") | {"id": "x" * 513}, "bad_length"),
        (assertion("a") | {"session": None}, "missing_field"),
        (assertion("a") | {"key": ""}, "bad_length"),
        (assertion("a") | {"value": {"deep": DEEP}}, "bad_type"),
        (assertion("a") | {"value": None}, "missing_field"),
        (assertion("a") | {"value": "half \ud800 pair"}, "bad_text"),
        (assertion("a\udfff"), "bad_text"),
        (assertion("a") | {"source": "x" * 2049}, "bad_length"),
        (assertion("a") | {"recorded_at": 1767229200}, "bad_type"),
        (assertion("a", valid_to="2026-01-01T01:00:00Z"), "bad_interval"),
        (correction("c", "a") | {"target": None}, "missing_field"),
        (tombstone("d"), "missing_field"),
        (tombstone("d", scope="key"), "missing_field"),
        (tombstone("d", scope=None, target="a"), "unknown_scope"),
        (tombstone("d", scope="ids", targets=["a"]), "unknown_scope"),
        (tombstone("d", scope="key", key="k", permanent="yes"), "bad_type"),
        (tombstone("d", scope="key", key="k", permanent=1), "bad_type"),
    ],
)
def test_a_malformed_event_is_rejected_with_its_reason(raw: object, reason: str) -> None:
    given_reason = reason_of(raw)
    assert given_reason is not None
    assert given_reason.partition(":")[0] == reason


def test_a_reason_does_not_repeat_what_was_rejected() -> None:
    bad = [
        assertion("a", value="SECRET\ud800"),
        assertion("a", value="SECRET", recorded_at="SECRET"),
        assertion("a", value=["SECRET"]),
        assertion("SECRET" * 100),
    ]
    reasons = [one.reason for one in PolicyStore().add_all(bad)]
    assert len(reasons) == len(bad)
    assert "SECRET" not in " ".join(reasons)


def test_a_megabyte_of_value_is_kept_and_more_than_a_mebibyte_is_rejected() -> None:
    assert reason_of(assertion("a", value="x" * 1_000_000)) is None
    assert reason_of(assertion("a", value="x" * fields.LARGEST_VALUE)) is None
    too_large = reason_of(assertion("a", value="x" * (fields.LARGEST_VALUE + 1)))
    assert str(too_large).startswith("too_large: value")
    assert str(reason_of(assertion("a", value="é" * 600_000))).startswith("too_large")


def test_fields_that_a_kind_does_not_have_are_neither_read_nor_kept() -> None:
    event = events.parse(tombstone("d", target="a", value="SECRET", key="SECRET", valid_to="never"))
    assert "SECRET" not in repr(event)
    assert events.parse(assertion("a", target=7, scope="?", more=1)) == events.parse(assertion("a"))


def test_null_in_an_optional_field_means_absent() -> None:
    plain = events.parse(assertion("a"))
    assert events.parse(assertion("a", valid_from=None, valid_to=None, permanent=None)) == plain
    assert events.parse(correction("c", "a", key=None)).key is None


@pytest.mark.parametrize(
    "raw",
    [
        assertion("a", valid_from="2026-01-01T03:00:00.5+02:00", valid_to="2026-05-01T00:00:00Z"),
        assertion("a", value=""),
        correction("c", "a"),
        correction("c", "a", key="job"),
        tombstone("d", target="a"),
        tombstone("d", scope="chain", target="a"),
        tombstone("d", scope="key", key="city", permanent=True),
    ],
)
def test_an_event_is_read_back_from_its_json(raw: dict[str, Any]) -> None:
    event = events.parse(raw)
    assert events.parse(events.to_json(event)) == event


def test_a_rejection_is_raised_with_its_reason() -> None:
    with pytest.raises(EventRejected, match="missing_field: key") as raised:
        events.parse(assertion("a", key=None))
    assert raised.value.reason == "missing_field: key"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([], "not_an_object"),
        ({"at": "2026-01-01T00:00:00Z"}, "missing_field"),
        ({"session": "s", "at": "2026-01-01T00:00:00"}, "naive_timestamp"),
        ({"session": "s", "at": "2026-01-01T00:00:00Z", "known_at": "now"}, "bad_timestamp"),
        ({"session": "s", "at": "2026-01-01T00:00:00Z", "limit": -1}, "bad_limit"),
        ({"session": "s", "at": "2026-01-01T00:00:00Z", "limit": True}, "bad_type"),
        ({"session": "s", "at": "2026-01-01T00:00:00Z", "limit": 1.0}, "bad_type"),
        ({"session": "s", "at": "2026-01-01T00:00:00Z", "query": 5}, "bad_type"),
    ],
)
def test_a_query_that_cannot_be_asked_is_rejected(raw: object, reason: str) -> None:
    with pytest.raises(QueryRejected) as raised:
        query.parse(raw)
    assert raised.value.reason.partition(":")[0] == reason


def test_a_query_made_in_python_needs_an_offset_too() -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the lack of an offset is the point
    with pytest.raises(QueryRejected, match="naive_timestamp"):
        Query("s1", naive)
    elsewhere = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    asked = Query("s1", elsewhere, known_at=elsewhere)
    assert asked == Query("s1", datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC))
    assert query.parse(query.to_json(asked)) == asked


def test_a_bad_event_between_good_ones_is_named_by_its_index() -> None:
    store = PolicyStore()
    rejected = store.add_all([assertion("a"), {"kind": "rumour"}, assertion("b", key="job"), None])
    assert [one.index for one in rejected] == [1, 3]
    assert ask(store).ids == ("a", "b")
