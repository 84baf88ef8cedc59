"""`report.json`: everything about a run, and the schema it keeps to."""

import json
from typing import Any

from memtru_ci.domain.report import SCHEMA_VERSION, Report
from memtru_ci.reporters.values import document, well_formed

SCHEMA_ID = f"urn:memtru:schema:report:{SCHEMA_VERSION}"
_LEFT_OUT_WHEN_NULL = ("marker_visible", "surfaces", "evidence_step")


class JsonReporter:
    """Renders the report by its model; readable again by `Report.model_validate_json`."""

    filename = "report.json"

    def render(self, report: Report) -> str:
        """The report as JSON that ends with a line feed."""
        whole = well_formed(report.model_dump())
        for result in whole["results"]:
            _shape_afterlife(result)
        return document(whole)


def report_schema() -> str:
    """The JSON Schema of `report.json`, generated from the model."""
    schema = Report.model_json_schema(mode="validation")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID}
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


def _shape_afterlife(result: dict[str, Any]) -> None:
    """The reference has the object and some of its keys only where they say something."""
    if result["afterlife"] is None:
        del result["afterlife"]
        return
    for event in result["afterlife"]["events"]:
        for key in _LEFT_OUT_WHEN_NULL:
            if event[key] is None:
                del event[key]
