"""The sentences of `memtru.sarif`, and how its severities are written."""

from memtru_ci.domain.folding import Fold
from memtru_ci.domain.report import Report, ScenarioResult
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.rows import Row
from memtru_ci.reporters.text import shortened, terminal_safe
from memtru_ci.reporters.words import FINDINGS, finding_of, next_step_of

TAGS = ("security", "privacy", "data-retention", "agent-memory", "external/cwe/cwe-212")
NOTICE_LEVEL = {Verdict.INCONCLUSIVE: "warning", Verdict.ERROR: "error", Verdict.SKIPPED: "note"}
PROBLEM_SEVERITY = {"error": "error", "warning": "warning", "note": "recommendation"}
_SECURITY_SEVERITY = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "2.0"}
_LEVEL = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
_MAX_TEXT = 1_000


def level_of(result: ScenarioResult) -> str:
    """SARIF's level of a severity."""
    return _LEVEL.get(result.severity, "warning")


def security_severity_of(result: ScenarioResult) -> str:
    """A number as a string; anything else makes code scanning reject the whole file."""
    return _SECURITY_SEVERITY.get(result.severity, _SECURITY_SEVERITY["medium"])


def rule_name(result: ScenarioResult) -> str:
    """The finding code in Pascal case."""
    finding = finding_of(result.scenario)
    known = next((code for code, one in FINDINGS.items() if one is finding), None)
    code = known.value if known else result.finding or result.scenario
    return "".join(part.capitalize() for part in code.replace("-", "_").split("_"))


def short_description(result: ScenarioResult) -> str:
    """One sentence."""
    finding = finding_of(result.scenario)
    return f"{finding.title if finding else result.title.rstrip('.')}."


def full_description(result: ScenarioResult) -> str:
    """What a finding of this scenario means and why it matters; under 1,024 characters."""
    finding = finding_of(result.scenario)
    return f"{finding.meaning} {finding.why}" if finding else short_description(result)


def help_text(result: ScenarioResult) -> str:
    """Plain help, under 1,024 characters."""
    finding = finding_of(result.scenario)
    if finding is None:
        return f"Run 'memtru-ci explain {result.scenario}' for its steps."
    return f"{finding.meaning}\n\nHow to avoid it: {finding.avoid}\n\nNext: {finding.next_step}"


def help_markdown(result: ScenarioResult) -> str:
    """Help as code scanning shows it beside an alert."""
    finding = finding_of(result.scenario)
    if finding is None:
        return f"Run `memtru-ci explain {result.scenario}` for its steps."
    return (
        f"**{finding.title}**\n\n{finding.meaning}\n\n**Why it matters.** {finding.why}\n\n"
        f"**How to avoid it.** {finding.avoid}\n\n**Next.** {finding.next_step}\n\n"
        f"Its steps: `memtru-ci explain {result.scenario}`. "
        f"Once more: `memtru-ci test --scenario {result.scenario}`."
    )


def message(report: Report, result: ScenarioResult) -> str:
    """The first sentence holds nothing that changes from run to run."""
    finding = FINDINGS.get(result.cause) if result.cause else None
    first = finding.meaning if finding else short_description(result)
    after = f" It was seen after '{result.trigger.value}'." if result.trigger else ""
    target = _quoted(report.target.name, 200)
    return f"{first}{after} Target: {target}. Reason: {_quoted(result.reason)}."


def notice(result: ScenarioResult) -> str:
    """What is said of a scenario that neither passed nor failed."""
    cause = f" ({result.cause.value})" if result.cause else ""
    said = f"{result.scenario} is {result.verdict.value}{cause}: {_quoted(result.reason)}."
    return f"{said} {next_step_of(result.cause)}".strip()


def fold_notice(fold: Fold) -> str:
    """What is said of many scenarios at once."""
    return f"{fold.name}: {fold.verdict.value}. {_quoted(fold.reason)}."


def step_text(row: Row) -> str:
    """One event of the timeline with its number and time."""
    return f"{row.seq}. {row.action} (+{row.elapsed_ms} ms): {_text(row.detail, 500)}."


def _quoted(text: str, limit: int = _MAX_TEXT) -> str:
    return f"'{_text(text, limit)}'"


def _text(text: str, limit: int) -> str:
    """Plain text in which no viewer finds a link."""
    safe = shortened(terminal_safe(text).rstrip("."), limit)
    return safe.replace("[", "\\[").replace("]", "\\]")
