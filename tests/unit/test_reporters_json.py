"""`report.json` keeps to its schema, and to the afterlife object that readers know."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memtru_ci.domain.report import Afterlife, Report
from memtru_ci.reporters.json import JsonReporter, report_schema
from tests import examples

SCHEMA_FILE = Path(__file__).parents[2] / "schemas" / "report.schema.json"

SAMPLE: dict[str, Any] = {
    "deletion_contract": "memory_record",
    "hooks_executed": ["release_pending_writes"],
    "surfaces_checked": ["profile"],
    "events": [
        {"seq": 3, "phase": "delete", "action": "delete", "detail": "memory m-17 deleted",
         "elapsed_ms": 2, "evidence_step": 5},
        {"seq": 4, "phase": "immediate_check", "action": "immediate_check",
         "detail": "nothing to be seen", "marker_visible": False, "surfaces": [],
         "elapsed_ms": 3},
        {"seq": 6, "phase": "observe", "action": "after_release",
         "detail": "seen on search and profile", "marker_visible": True,
         "surfaces": ["search", "profile"], "elapsed_ms": 6},
    ],
    "resurrected": True,
    "first_resurrection_event": 6,
    "resurrection_trigger": "release_pending_writes",
    "reproduce": ["memtru-ci test --scenario MT-AF-001"],
}  # fmt: skip


def schema() -> dict[str, Any]:
    """The schema as it is generated now."""
    generated: dict[str, Any] = json.loads(report_schema())
    return generated


def rendered(report: Report) -> dict[str, Any]:
    """The document as a reader gets it."""
    document: dict[str, Any] = json.loads(JsonReporter().render(report))
    return document


def test_the_committed_schema_is_what_the_model_says() -> None:
    assert SCHEMA_FILE.read_text() == report_schema()


@pytest.mark.parametrize(
    "report",
    [
        examples.report(),
        examples.report(examples.errored(), examples.skipped("MT-AF-003")),
        examples.report(examples.passed()),
    ],
)
def test_a_report_keeps_to_its_schema(report: Report) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(rendered(report), schema())


def test_a_report_with_an_unknown_key_breaks_the_schema() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**rendered(examples.report()), "extra": 1}, schema())


def test_the_afterlife_object_of_the_reference_fits_model_and_schema() -> None:
    assert Afterlife.model_validate(SAMPLE).resurrection_trigger == "release_pending_writes"
    whole = schema()
    jsonschema.validate(SAMPLE, {**whole["$defs"]["Afterlife"], "$defs": whole["$defs"]})


def test_the_afterlife_object_is_written_key_by_key_as_in_the_reference() -> None:
    result = examples.failed().model_copy(update={"afterlife": Afterlife.model_validate(SAMPLE)})
    assert rendered(examples.report(result))["results"][0]["afterlife"] == SAMPLE


def test_results_of_other_scenarios_have_no_afterlife_key() -> None:
    assert "afterlife" not in rendered(examples.report(examples.passed()))["results"][0]


def test_a_result_has_the_keys_that_readers_rely_on() -> None:
    result = rendered(examples.report(examples.failed()))["results"][0]
    told = {key: result[key] for key in ("scenario", "verdict", "cause", "trigger")}
    assert told == {
        "scenario": "MT-AF-001",
        "verdict": "FAIL",
        "cause": "late_write_resurrected",
        "trigger": "release_pending_writes",
    }
    assert result["reason"]


def test_a_written_report_reads_back_as_the_same_report() -> None:
    report = examples.report()
    assert Report.model_validate_json(JsonReporter().render(report)) == report


def test_answers_that_no_json_can_hold_do_not_break_the_report() -> None:
    record = examples.late_write_record()
    odd = record.evidence[1].model_copy(
        update={"answer": {"\ud800": [float("nan"), float("inf"), "\udfff", "\x00"]}}
    )
    result = examples.failed().model_copy(
        update={"record": record.model_copy(update={"evidence": (odd,)}), "reason": "\ud83d"}
    )
    text = JsonReporter().render(examples.report(result))
    text.encode()
    answer = json.loads(text)["results"][0]["record"]["evidence"][0]["answer"]
    assert answer == {"\\ud800": [None, None, "\\udfff", "\x00"]}
    Report.model_validate_json(text)
