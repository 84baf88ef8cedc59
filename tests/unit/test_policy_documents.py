"""Traces, exports and evaluations: they replay, they leak nothing, and tampering has a place."""

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtru_ci.policy import (
    cases,
    code,
    documents,
    evaluate,
    export,
    log,
    query,
    sanitized,
    sealed,
    trace,
)
from memtru_ci.policy.differences import MOST, differences
from memtru_ci.policy.documents import Unusable
from tests.unit.policy_examples import ask, assertion, at, correction, store_of, tombstone

LOG = [
    assertion("a", value="lives in LISBON", source="chat with ANNA"),
    correction("b", "a", value="lives in Porto"),
    correction("c", "b", 3, value="lives in Braga"),
    assertion("j", key="EMPLOYER", value="bakes", source="chat with BEN"),
    tombstone("d", 4, target="a", source="request of ANNA"),
    tombstone("e", 5, scope="key", key="EMPLOYER", permanent=True),
]
ASKED = {"session": "s1", "at": at(9), "query": "braga", "limit": 3}

Tampering = Callable[[dict[str, Any]], object]


def made_trace() -> dict[str, Any]:
    return json.loads(json.dumps(trace.write(store_of(*LOG), query.parse(ASKED))))


def made_export() -> dict[str, Any]:
    return json.loads(json.dumps(export.export(store_of(*LOG))))


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    content = {key: document[key] for key in document if key not in ("hashes", "content_hash")}
    return json.loads(json.dumps(sealed.seal(content)))


def test_a_trace_holds_events_query_answer_and_reasons_and_replays() -> None:
    document = made_trace()
    assert trace.verify(document) == []
    assert document["answer"]["ids"] == ["c"]
    assert {one["id"]: one["reason"] for one in document["answer"]["exclusions"]} == {
        "a": "deleted",
        "b": "corrected",
        "j": "deleted",
    }
    assert [one["id"] for one in document["events"]] == ["a", "j", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        (lambda one: one["events"][3].update(value="lives in Faro"), "events[3]: not what was"),
        (lambda one: one["events"][0].update(value="other"), "events[0]: not what was sealed"),
        (lambda one: one["events"].pop(5), "events: not what was sealed"),
        (lambda one: one["query"].update(limit=1), "query: not what was sealed"),
        (lambda one: one["answer"]["ids"].append("a"), 'answer.ids[1]: "a" is stored, nothing'),
        (lambda one: one["answer"]["exclusions"].pop(0), "answer.exclusions[0].id"),
        (lambda one: one.pop("answer"), "answer: missing"),
        (lambda one: one.pop("hashes"), "hashes: missing"),
        (lambda one: one.update(note="hello"), "note: does not belong to a trace"),
        (lambda one: one.update(content_hash="0" * 64), "content_hash: not the hash"),
        (lambda one: one["query"].update(at="soon"), "query: bad_timestamp"),
        (lambda one: one["events"][0].pop("kind"), "events[0]: unknown_kind"),
        (lambda one: one.update(events="none"), "events[0]: not_a_list"),
        (lambda one: one["events"].append(one["events"][0] | {"value": "2"}), "id_conflict"),
    ],
)
def test_a_trace_that_was_tampered_with_says_where(tamper: Tampering, told: str) -> None:
    document = made_trace()
    tamper(document)
    assert any(told in line for line in trace.verify(document)), trace.verify(document)


def test_a_trace_that_was_sealed_again_still_has_to_follow() -> None:
    document = made_trace()
    document["answer"]["ids"] = ["b"]
    assert trace.verify(resealed(document)) == ['answer.ids[0]: "b" is stored, "c" follows']


def test_a_trace_of_an_export_holds_nothing_deleted_and_replays_to_the_same() -> None:
    again, _ = log.read(made_export()["events"])
    document = json.loads(json.dumps(trace.write(again, query.parse(ASKED))))
    assert trace.verify(document) == []
    assert document["answer"] == made_trace()["answer"]
    assert "LISBON" not in json.dumps(document)


def forms_of(secret: str) -> list[str]:
    raw = secret.encode()
    return [secret, secret.lower(), raw.hex(), *(hashlib.new(one, raw).hexdigest() for one in (
        "md5", "sha1", "sha256", "sha512"))]  # fmt: skip


@pytest.mark.parametrize(
    "secret",
    ["lives in LISBON", "LISBON", "chat with ANNA", "ANNA", "EMPLOYER", "bakes", "chat with BEN"],
)
def test_an_export_has_no_form_of_what_was_deleted(secret: str) -> None:
    text = json.dumps(made_export())
    assert [form for form in forms_of(secret) if form in text] == []


def test_an_export_is_the_same_whatever_was_deleted() -> None:
    other = copy.deepcopy(LOG)
    other[0] |= {"value": "a much longer and different text", "source": "elsewhere"}
    other[3] |= {"value": "", "source": "x"}
    assert export.export(store_of(*other)) == export.export(store_of(*LOG))


def test_an_export_keeps_ids_instants_and_edges() -> None:
    held = {one["id"]: one for one in made_export()["events"]}
    assert held.keys() == {"a", "b", "c", "d", "e", "j"}
    assert held["a"] == {
        "id": "a",
        "kind": "assertion",
        "session": "s1",
        "recorded_at": "2026-01-01T01:00:00Z",
        "valid_from": "2026-01-01T01:00:00Z",
        "sanitized": True,
        "erased": True,
        "keyed": True,
    }
    assert held["c"]["target"] == "b"
    assert held["d"]["target"] == "a"


def test_a_key_tombstone_becomes_the_list_of_what_it_removed() -> None:
    held = {one["id"]: one for one in made_export()["events"]}
    assert held["e"]["scope"] == "ids"
    assert held["e"]["targets"] == ["j"]
    assert "key" not in held["e"]


def test_a_correction_whose_targets_key_was_erased_is_unverifiable_and_answers() -> None:
    held = {one["id"]: one for one in made_export()["events"]}
    assert held["c"]["unverifiable"] is True
    assert held["c"]["inherited_key"] == "city"
    again, rejected = log.read(made_export()["events"])
    assert rejected == []
    assert ask(again) == ask(store_of(*LOG))


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        (lambda one: one["events"][0].update(key="city"), "bad_export: an erased fact has no key"),
        (lambda one: one["events"][0].update(value="x"), "bad_export: an erased fact has no value"),
        (lambda one: one["events"].pop(4), "a: erased, but no tombstone deletes it"),
        (lambda one: one["events"][1].pop("erased"), "events[1]"),
        (lambda one: one["events"][5].update(scope="key", key="k"), "a list of ids in an export"),
        (lambda one: one["events"][5].update(targets=[7]), "bad_type: target"),
        (lambda one: one["events"][5].update(targets=None), "bad_type: targets"),
        (lambda one: one["events"][5].update(targets=[]), "j: erased, but no tombstone deletes it"),
        (lambda one: one["events"][3].update(unverifiable=False), "unverifiable correction"),
        (lambda one: one["events"].append(assertion("z") | {"sanitized": True}), "unverifiable"),
        (lambda one: one["events"][0].update(kind="tombstone"), "a tombstone is not erased"),
        (lambda one: one.pop("format"), "format: missing"),
        (lambda one: one.update(salt="x"), "salt: does not belong to an export"),
    ],
)
@pytest.mark.parametrize("seal_again", [False, True])
def test_an_export_that_was_tampered_with_says_where(
    tamper: Tampering, told: str, seal_again: bool
) -> None:
    document = made_export()
    tamper(document)
    found = export.verify(resealed(document) if seal_again else document)
    assert found
    if seal_again:
        assert any(told in line for line in found), found


def test_a_payload_put_back_beside_its_tombstone_is_found() -> None:
    document = made_export()
    document["events"][0] = LOG[0]
    (first, *_) = export.verify(resealed(document))
    assert first.startswith("events[0].")


def test_sanitized_forms_mean_nothing_where_events_come_from_a_service() -> None:
    erased = made_export()["events"][0]
    assert store_of().add(erased) == "missing_field: source"
    assert sanitized.is_sanitized(erased)
    assert not sanitized.is_sanitized(assertion("a", erased=True, targets=[]))


def test_the_evaluation_is_what_a_fresh_one_gives() -> None:
    document = json.loads(json.dumps(evaluate.evaluate()))
    assert evaluate.verify(document) == []
    assert document["matches"]["engine"] == document["cases"]["count"] == len(cases.load())
    assert document["code"] == code.version()


@pytest.mark.parametrize(
    ("tamper", "told"),
    [
        (lambda one: one["matches"].update(baseline=0), "matches.baseline: 0 is stored"),
        (lambda one: one["cases"].update(sha256="0"), "cases.sha256"),
        (lambda one: one["code"].update(version="9.9"), 'code.version: "9.9" is stored'),
        (
            lambda one: one["answers"]["engine"][0]["answers"][0].update(ids=[]),
            "answers.engine[0].answers[0].ids[0]: nothing is stored",
        ),
        (
            lambda one: one["answers"]["baseline"].pop(),
            f"answers.baseline[{len(cases.load()) - 1}]: nothing is stored",
        ),
    ],
)
def test_an_evaluation_that_was_changed_says_where(tamper: Tampering, told: str) -> None:
    document = json.loads(json.dumps(evaluate.evaluate()))
    tamper(document)
    for found in (evaluate.verify(document), evaluate.verify(resealed(document))):
        assert any(told in line for line in found), found


def test_changed_cases_and_changed_code_fail_a_saved_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(json.dumps(evaluate.evaluate()))
    changed = tmp_path / "cases.json"
    changed.write_text(cases.FILE.read_text().replace('"plain_fact"', '"plain_facts"'))
    monkeypatch.setattr(cases, "FILE", changed)
    found = evaluate.verify(document)
    assert found[0].startswith("answers.baseline[0].case")
    assert any(line.startswith("cases.sha256") for line in found)
    monkeypatch.undo()
    monkeypatch.setattr(code, "version", lambda: {"version": "0.0.0", "sha256": "0"})
    assert [line.partition(":")[0] for line in evaluate.verify(document)] == [
        "code.sha256",
        "code.version",
    ]


def test_a_wrong_engine_shows_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtru_ci.policy.resolve.has_ended", lambda fact, at: False)
    document = evaluate.evaluate()
    right = sum(one["matched"] for one in document["answers"]["engine"])  # type: ignore[index]
    assert right < len(cases.load())
    assert evaluate.table(document)[-1].endswith(f"| {right}/{len(cases.load())} |")


def test_differences_are_counted_where_there_are_too_many() -> None:
    found = differences(list(range(100)), list(range(1, 101)))
    assert len(found) == MOST + 1
    assert found[0] == "[0]: 0 is stored, 1 follows"
    assert found[-1] == "80 more differences"
    assert differences(True, 1) == ["the document: true is stored, 1 follows"]
    assert differences({"a": 1}, {"a": 1}) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[NaN]", "is not JSON"),
        (b"[1e999]", "is not JSON"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"[" * 200 + b"]" * 200, "is nested too deeply"),
        (b"1" * 5000, "is not JSON"),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(Unusable, match=told):
        documents.read(file)


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LARGEST", 3)
    (tmp_path / "large.json").write_text("[1,2]")
    with pytest.raises(Unusable, match="larger than 3 bytes"):
        documents.read(tmp_path / "large.json")


def test_a_document_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        documents.write(tmp_path / "out.json", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []
    documents.write(tmp_path / "out.json", {"a": "é"})
    assert [one.name for one in tmp_path.iterdir()] == ["out.json"]
