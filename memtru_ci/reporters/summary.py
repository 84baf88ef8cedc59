"""`summary.md`: a run for a reader, as GitHub shows it in a job's summary."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memtru_ci.domain.folding import folded
from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.summary_views import ResultView, view_of
from memtru_ci.reporters.text import html_safe, markdown_safe, shortened, terminal_safe
from memtru_ci.reporters.words import (
    POLICY,
    SIGNS,
    WHAT_PASS_DOES_NOT_MEAN,
    headline_of,
    pass_means,
)

MAX_BYTES = 900 * 1024
"""GitHub shows nothing at all of a summary over 1 MiB."""

_QUIET = (Verdict.PASS, Verdict.SKIPPED)
_MAX_TEXT = 2_000
_MAX_PRE = 6_000
_MAX_REASONS = 20


@dataclass(frozen=True)
class Detail:
    """How much is shown: a step of the ladder down which a document goes until it fits."""

    note: str = ""
    evidence: bool = False
    diagrams: bool = False
    others: bool = False
    failing: bool = False


LADDER = (
    Detail(evidence=True, diagrams=True, others=True, failing=True),
    Detail("Evidence was left out to keep this short.", diagrams=True, others=True, failing=True),
    Detail("Only failing scenarios are shown, to keep this short.", failing=True),
    Detail("Only counts are shown, as the rest would be too long. See report.json."),
)


class Markdown(str):
    """Text that is Markdown already; everything else is escaped where it is written."""


class SummaryReporter:
    """Renders as much as fits; texts of the target are inert wherever they stand."""

    filename = "summary.md"

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes

    def render(self, report: Report) -> str:
        """The first step of the ladder that fits, in UTF-8 bytes; the last one always does."""
        template = _environment().get_template("summary.md.j2")
        values = _values(report)
        for detail in LADDER:
            document = _tidied(template.render(detail=detail, note=detail.note, **values))
            if len(document.encode()) <= self._max_bytes:
                break
        return document


def _values(report: Report) -> dict[str, Any]:
    results, folds = folded(report.results)
    views = [view_of(report, result) for result in results]
    service = report.target.service
    return {
        "report": report,
        "sign": SIGNS[report.verdict],
        "headline": headline_of(report),
        "folds": [fold for fold in folds if fold.verdict not in _QUIET],
        "quiet_folds": [fold for fold in folds if fold.verdict in _QUIET],
        "quiet_count": report.counts.passed + report.counts.skipped,
        "signs": SIGNS,
        "window": _window(report),
        "gate_reasons": [
            shortened(reason, _MAX_TEXT) for reason in report.gate.reasons[:_MAX_REASONS]
        ],
        "failing": _of(views, Verdict.FAIL),
        "unproven": _of(views, Verdict.ERROR) + _of(views, Verdict.INCONCLUSIVE),
        "quiet": _of(views, Verdict.PASS) + _of(views, Verdict.SKIPPED),
        "warnings": [
            *report.warnings,
            *report.target.notes,
            *(f"Left behind: {one}" for one in report.left_behind),
        ],
        "pass_means": pass_means(report),
        "pass_does_not_mean": WHAT_PASS_DOES_NOT_MEAN,
        "duration": f"{report.duration_ms / 1000:.1f} s",
        "service": f"{service.name} {service.version}" if service else "",
    }


def _window(report: Report) -> str:
    """How long surfaces were watched; empty where nothing but a policy was tested."""
    is_policy = bool(report.results) and all(one.suite == POLICY for one in report.results)
    return "" if is_policy else f"{report.settings.window_ms / 1000:g} s"


def _of(views: list[ResultView], verdict: Verdict) -> list[ResultView]:
    return [view for view in views if view.result.verdict is verdict]


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=False,  # HTML's rules are not Markdown's: `finalize` escapes for the latter
        finalize=_escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    filters: dict[str, Callable[[Any], str]] = {
        "code": _code,
        "codes": lambda names: Markdown(" ".join(_code(name) for name in names)),
        "brief": lambda text: Markdown(markdown_safe(shortened(text, _MAX_TEXT))),
        "pre": lambda text: Markdown(html_safe(shortened(text, _MAX_PRE))),
        "raw": Markdown,
        "ms": lambda value: Markdown("-") if value is None else f"{value:.0f} ms",
    }
    environment.filters.update(filters)
    return environment


def _escaped(value: Any) -> Any:
    """Escapes whatever is written, so that forgetting a filter is no hole."""
    return value if isinstance(value, Markdown) else markdown_safe(str(value))


def _code(text: str) -> str:
    """Inline code that nothing in the text can end, in which nothing is linked."""
    inner = markdown_safe(shortened(terminal_safe(text), 300))
    return Markdown(f"<code>{inner}</code>")


def _tidied(document: str) -> str:
    """No more than one blank line in a row, and one line feed at the end."""
    lines: list[str] = []
    for line in document.split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(lines).strip() + "\n"
