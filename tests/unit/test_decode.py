"""Hostile and careless bytes end in a fault that names the field, never in another exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from memtru_ci.contract import messages as m
from memtru_ci.contract.decode import EXCERPT_LENGTH, ContractFault, decode, excerpt
from memtru_ci.contract.receipts import BackupAnswer, ReleaseAnswer
from memtru_ci.domain.receipt import HookReceipt


def fault_of(model: type[BaseModel], body: bytes) -> ContractFault:
    with pytest.raises(ContractFault) as caught:
        decode(model, body)
    return caught.value


def test_a_receipt_is_read() -> None:
    body = b'{"executed": true, "detail": "ok", "created": [{"kind": "memory", "id": "a"}]}'
    receipt = decode(HookReceipt, body)
    assert (receipt.executed, receipt.created[0].id, receipt.processed) == (True, "a", None)


def test_a_null_in_an_optional_field_is_absent_at_any_depth() -> None:
    body = b'{"executed": true, "detail": null, "created": null, "processed": null}'
    assert decode(HookReceipt, body) == HookReceipt(executed=True)
    body = b'{"results": [{"id": "a", "content": "b", "score": null, "metadata": {"k": null}}]}'
    assert decode(m.SearchAnswer, body).results[0].metadata == {"k": None}


def test_a_null_in_a_required_field_is_a_fault() -> None:
    assert fault_of(HookReceipt, b'{"executed": null}').field == "executed"
    assert fault_of(m.WrittenAnswer, b'{"id": null}').field == "id"


def test_next_cursor_is_required_and_may_be_null() -> None:
    assert decode(m.ListAnswer, b'{"results": [], "next_cursor": null}').next_cursor is None
    fault = fault_of(m.ListAnswer, b'{"results": []}')
    assert (fault.field, fault.why) == ("next_cursor", "required, and not there")


@pytest.mark.parametrize(
    ("body", "field", "got"),
    [
        (b'{"executed": "yes"}', "executed", '"yes"'),
        (b'{"executed": 1}', "executed", "1"),
        (b'{"executed": true, "processed": "1"}', "processed", '"1"'),
        (b'{"executed": true, "processed": 1.5}', "processed", "1.5"),
        (b'{"executed": true, "processed": -1}', "processed", "-1"),
        (b'{"executed": true, "created": {}}', "created", "{}"),
        (b'{"executed": true, "created": [{"kind": "x", "id": "a"}]}', "created.0.kind", '"x"'),
        (b'{"executed": true, "created": [{"kind": "memory", "id": 7}]}', "created.0.id", "7"),
        (b"[]", "(body)", "[]"),
        (b"null", "(body)", "null"),
    ],
)
def test_nothing_is_coerced_and_the_fault_says_what_came(body: bytes, field: str, got: str) -> None:
    fault = fault_of(HookReceipt, body)
    assert (fault.field, fault.got) == (field, got)


def test_a_key_given_twice_is_a_fault_although_json_would_take_the_last() -> None:
    fault = fault_of(HookReceipt, b'{"executed": true, "executed": false}')
    assert (fault.field, fault.why) == ("executed", "the key is given twice")
    nested = b'{"executed": true, "created": [{"kind": "memory", "id": "a", "id": "b"}]}'
    assert fault_of(HookReceipt, nested).field == "id"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"executed": true} trailing',
        b'{"executed": NaN}',
        b'{"executed": true, "x": Infinity}',
        b'{"executed": true, "x": 1e400}',
        b"[" * 100_000,
        b'{"x":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"executed": true, "x": ' + b"9" * 5000 + b"}",
        b'{"executed": true, "detail": "\\ud800"}',
        b'{"executed": true, "detail": "\xff"}',
        b'\xef\xbb\xbf{"executed": true}',
        '{"executed": true}'.encode("utf-16"),
        b'{"executed": true, "detail": "\x00"}',
    ],
)
def test_what_is_no_acceptable_json_is_one_short_printable_fault(body: bytes) -> None:
    fault = fault_of(HookReceipt, body)
    assert fault.field == "(body)"
    assert len(str(fault)) < 300
    assert str(fault).isascii()
    assert str(fault).isprintable()


def test_a_huge_integer_where_a_count_belongs_is_a_fault_of_that_field() -> None:
    body = b'{"contract": "1.0", "service": {"name": "a", "version": "1"}, "capabilities": [], '
    body += b'"consistency_window_ms": ' + b"9" * 400 + b"}"
    fault = fault_of(m.CapabilitiesAnswer, body)
    assert fault.field == "consistency_window_ms"
    assert len(fault.got) <= EXCERPT_LENGTH


def test_a_window_over_a_minute_breaks_the_contract() -> None:
    body = {"contract": "1.0", "service": {"name": "a", "version": "1"}, "capabilities": ["X"]}
    fine = decode(
        m.CapabilitiesAnswer, json.dumps({**body, "consistency_window_ms": 60_000}).encode()
    )
    assert fine.capabilities == ("X",)
    over = json.dumps({**body, "consistency_window_ms": 60_001}).encode()
    assert fault_of(m.CapabilitiesAnswer, over).field == "consistency_window_ms"


def test_an_id_over_512_characters_breaks_the_contract() -> None:
    assert decode(m.WrittenAnswer, json.dumps({"id": "x" * 512}).encode()).id == "x" * 512
    assert fault_of(m.WrittenAnswer, json.dumps({"id": "x" * 513}).encode()).field == "id"


def test_a_release_that_ran_must_say_how_many_it_processed() -> None:
    assert decode(ReleaseAnswer, b'{"executed": false}').executed is False
    assert decode(ReleaseAnswer, b'{"executed": true, "processed": 0}').processed == 0
    assert fault_of(ReleaseAnswer, b'{"executed": true}').field == "processed"


def test_a_backup_that_ran_must_name_itself() -> None:
    assert decode(BackupAnswer, b'{"executed": false}').backup_id is None
    assert fault_of(BackupAnswer, b'{"executed": true}').field == "backup_id"


def test_control_characters_and_commands_are_escaped_in_an_excerpt() -> None:
    assert excerpt("a\r\n::error::\x1b[31m\x7f\u202e") == (
        '"a\\r\\n::error::\\u001b[31m\\u007f\\u202e"'
    )


def outcome_of(body: bytes) -> str:
    """How reading ended; any exception but a fault is the test's failure."""
    try:
        return f"executed={decode(HookReceipt, body).executed}"
    except ContractFault as fault:
        return str(fault)


# The machine may be busy: what counts is that it ends, not how soon.
@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_or_a_fault(body: bytes) -> None:
    assert outcome_of(body).isprintable()


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_value_in_any_field_gives_a_message_or_a_fault(value: object) -> None:
    for field in ("executed", "detail", "created", "processed", "other"):
        body = json.dumps({"executed": True, field: value}).encode()
        assert outcome_of(body).isprintable()
