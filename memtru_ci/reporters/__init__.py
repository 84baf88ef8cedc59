"""Renders a report as documents: JSON, SARIF and a summary in Markdown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtru_ci.ports import Reporter
from memtru_ci.reporters.anchor import Anchors, Sources, find_anchors


@dataclass(frozen=True)
class Origin:
    """What is known of the repository that a run belongs to."""

    anchors: Anchors
    repository: str = ""
    """Its web address; empty where it is not known."""
    revision: str = ""
    branch: str = ""


def _json(_origin: Origin) -> Reporter:
    from memtru_ci.reporters.json import JsonReporter

    return JsonReporter()


def _sarif(origin: Origin) -> Reporter:
    from memtru_ci.reporters.sarif import RepositoryFacts, SarifReporter

    facts = RepositoryFacts(origin.repository, origin.revision, origin.branch)
    return SarifReporter(origin.anchors, facts if origin.repository else None)


def _summary(_origin: Origin) -> Reporter:
    from memtru_ci.reporters.summary import SummaryReporter

    return SummaryReporter()


REPORTERS: Mapping[str, Callable[[Origin], Reporter]] = {
    "report.json": _json,
    "memtru.sarif": _sarif,
    "summary.md": _summary,
}


def reporters_for(origin: Origin | None = None) -> tuple[Reporter, ...]:
    """Every reporter, for a repository; without one, for a place that has no known files."""
    known = origin or Origin(find_anchors(Sources()))
    return tuple(make(known) for make in REPORTERS.values())
