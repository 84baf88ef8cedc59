"""`memtru.sarif`: the findings as GitHub code scanning takes them in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import attr
import sarif_om as om

from memtru_ci.domain.folding import FOLDED_SUITES, folded
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.timeline import Phase
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.anchor import Anchor, Anchors
from memtru_ci.reporters.fingerprint import finding_key
from memtru_ci.reporters.rows import Row, rows_of
from memtru_ci.reporters.sarif_texts import (
    NOTICE_LEVEL,
    PROBLEM_SEVERITY,
    TAGS,
    fold_notice,
    full_description,
    help_markdown,
    help_text,
    level_of,
    message,
    notice,
    rule_name,
    security_severity_of,
    short_description,
    step_text,
)
from memtru_ci.reporters.text import shortened
from memtru_ci.reporters.values import document, well_formed
from memtru_ci.reporters.words import page_of

HOME = "https://github.com/memtru/afterlife-action"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_MAX_STEPS = 1_000
_ROOT = "%SRCROOT%"
# Without them a reader takes the rule's level, or its own default, for ours.
_ALWAYS_WRITTEN = frozenset({"level", "kind", "importance"})


@dataclass(frozen=True)
class RepositoryFacts:
    """Which state of which repository was tested."""

    uri: str
    revision: str = ""
    branch: str = ""


class SarifReporter:
    """Only FAIL is a result; what was not proven is a notification, which opens no alert."""

    filename = "memtru.sarif"

    def __init__(self, anchors: Anchors, repository: RepositoryFacts | None = None) -> None:
        self._anchors = anchors
        self._repository = repository

    def render(self, report: Report) -> str:
        """The log, also where there are no results: old alerts close only then."""
        log = om.SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[self._run(report)])
        return document(well_formed(plain(log)))

    def _run(self, report: Report) -> Any:
        rules = {one.scenario: one for one in report.results if _has_rule(one)}
        order = list(rules)
        return om.Run(
            tool=om.Tool(driver=_driver(report, list(rules.values()))),
            automation_details=om.RunAutomationDetails(id=_category(report)),
            column_kind="utf16CodeUnits",
            invocations=[_invocation(report)],
            results=[
                self._result(report, result, order.index(result.scenario))
                for result in _findings(report)
            ],
            version_control_provenance=self._provenance(),
        )

    def _result(self, report: Report, result: ScenarioResult, rule_index: int) -> Any:
        anchor = self._anchors.of(result.scenario)
        rows = rows_of(result)[:_MAX_STEPS]
        return om.Result(
            rule_id=result.scenario,
            rule_index=rule_index,
            kind="fail",
            level=level_of(result),
            message=om.Message(text=message(report, result)),
            locations=[_location(anchor)],
            partial_fingerprints={
                "primaryLocationLineHash": anchor.line_hash,
                "memtru/v1": finding_key(result.scenario, report.target.name, result.finding or ""),
            },
            code_flows=[_code_flow(rows, anchor)] if rows else None,
        )

    def _provenance(self) -> list[Any] | None:
        if self._repository is None:
            return None
        return [
            om.VersionControlDetails(
                repository_uri=self._repository.uri,
                revision_id=self._repository.revision or None,
                branch=self._repository.branch or None,
                mapped_to=om.ArtifactLocation(uri_base_id=_ROOT),
            )
        ]


def plain(value: Any) -> Any:
    """The object model as JSON values, in the model's own order.

    The usual serializer leaves out every value that equals its default, and so explicit levels.
    """
    if attr.has(type(value)):
        return {
            field.metadata["schema_property_name"]: plain(content)
            for field in attr.fields(type(value))
            if _is_written(field, content := getattr(value, field.name))
        }
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return value


def _is_written(field: Any, content: Any) -> bool:
    name = field.metadata["schema_property_name"]
    if content is None or isinstance(field.default, attr.Factory):  # type: ignore[arg-type]
        return False  # the model makes up such defaults, and nobody here sets them
    return name in _ALWAYS_WRITTEN or content != field.default


def _driver(report: Report, rules: Sequence[ScenarioResult]) -> Any:
    return om.ToolComponent(
        name="memtru-ci",
        full_name=f"memtru-ci {report.tool.version}",
        version=report.tool.version,
        semantic_version=report.tool.version,
        information_uri=HOME,
        rules=[_rule(one) for one in rules],
    )


def _rule(result: ScenarioResult) -> Any:
    level = level_of(result)
    return om.ReportingDescriptor(
        id=result.scenario,
        name=rule_name(result),
        short_description=om.MultiformatMessageString(text=short_description(result)),
        full_description=om.MultiformatMessageString(text=full_description(result)),
        help=om.MultiformatMessageString(text=help_text(result), markdown=help_markdown(result)),
        help_uri=f"{HOME}/blob/main/docs/scenarios/{quote(page_of(result.scenario))}.md",
        default_configuration=om.ReportingConfiguration(level=level),
        properties={
            "tags": list(TAGS),
            "precision": "very-high",
            "problem.severity": PROBLEM_SEVERITY[level],
            "security-severity": security_severity_of(result),
        },
    )


def _code_flow(rows: Sequence[Row], anchor: Anchor) -> Any:
    flow = om.ThreadFlow(locations=[_step(row, anchor) for row in rows])
    return om.CodeFlow(thread_flows=[flow])


def _step(row: Row, anchor: Anchor) -> Any:
    location = _location(anchor)
    location.physical_location.region.snippet = None  # once, at the result, is enough
    location.message = om.Message(text=step_text(row))
    is_essential = row.decides or row.phase == Phase.DELETE
    return om.ThreadFlowLocation(
        execution_order=row.seq,
        importance="essential" if is_essential else "important",
        location=location,
        nesting_level=0,
        state=_state(row),
    )


def _state(row: Row) -> dict[str, Any] | None:
    if row.visible is None:
        return None
    return {"marker": {"text": "visible" if row.visible else "absent"}}


def _location(anchor: Anchor) -> Any:
    region = om.Region(
        start_line=anchor.line,
        start_column=1,
        end_line=anchor.line,
        end_column=anchor.end_column,
        snippet=om.ArtifactContent(text=shortened(anchor.text, 200)) if anchor.text else None,
    )
    uri = quote(anchor.path, safe="/~!$&'()*+,;=@-._")
    artifact = om.ArtifactLocation(uri=uri, uri_base_id=_ROOT)
    return om.Location(
        physical_location=om.PhysicalLocation(artifact_location=artifact, region=region)
    )


def _invocation(report: Report) -> Any:
    return om.Invocation(
        execution_successful=True,  # false would fail the upload; findings are no failure of ours
        exit_code=report.gate.exit_code,
        start_time_utc=report.started_at,
        tool_execution_notifications=list(_notifications(report)),
    )


def _notifications(report: Report) -> Iterator[Any]:
    results, folds = folded(report.results)
    for result in results:
        if result.verdict in NOTICE_LEVEL:
            yield om.Notification(
                level=NOTICE_LEVEL[result.verdict],
                message=om.Message(text=notice(result)),
                associated_rule=om.ReportingDescriptorReference(id=result.scenario)
                if _has_rule(result)
                else None,
            )
    for fold in folds:
        if fold.verdict in NOTICE_LEVEL:
            yield om.Notification(
                level=NOTICE_LEVEL[fold.verdict], message=om.Message(text=fold_notice(fold))
            )


def _has_rule(result: ScenarioResult) -> bool:
    """Every scenario has one, but for what did not fail of a large suite."""
    return result.verdict is Verdict.FAIL or result.suite not in FOLDED_SUITES


def _findings(report: Report) -> Iterator[ScenarioResult]:
    """One per scenario, as two alerts alike in rule and line would be one."""
    seen = set()
    for result in report.results:
        if result.verdict is Verdict.FAIL and result.scenario not in seen:
            seen.add(result.scenario)
            yield result


def _category(report: Report) -> str:
    return report.settings.sarif_category.strip("/") + "/"
