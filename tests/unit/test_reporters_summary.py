"""The summary says what happened, and renders whatever a target says as inert text."""

import re

import pytest
from markdown_it import MarkdownIt

from memtru_ci.domain.report import CleanupFacts, Report
from memtru_ci.reporters.summary import LADDER, MAX_BYTES, SummaryReporter
from memtru_ci.reporters.summary_views import reproduce_of
from tests import examples
from tests.unit.test_reporters_text import INJECTIONS

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def rendered(report: Report) -> str:
    """The summary at full length where it fits."""
    return SummaryReporter().render(report)


def html_of(report: Report) -> str:
    """As a reader's browser gets it."""
    return str(GITHUB.render(rendered(report)))


def hostile(text: str) -> Report:
    """A report in which everything that a target can name or say is `text`."""
    failed, errored = examples.failed(), examples.errored("MT-AF-003")
    assert failed.record is not None
    assert failed.afterlife is not None
    evidence = [
        one.model_copy(update={"answer": {text: text}, "path": text})
        for one in failed.record.evidence
    ]
    events = [one.model_copy(update={"detail": text}) for one in failed.afterlife.events]
    surfaces = [one.model_copy(update={"name": text}) for one in failed.surfaces]
    result = failed.model_copy(
        update={
            "reason": text,
            "surfaces": surfaces,
            "notes": [text],
            "cleanup": CleanupFacts(left=[text]),
            "record": failed.record.model_copy(update={"evidence": tuple(evidence)}),
            "afterlife": failed.afterlife.model_copy(
                update={"events": events, "reproduce": [text]}
            ),
        }
    )
    lost = errored.model_copy(update={"reason": text, "log_tail": text})
    target = examples.report().target
    assert target.service is not None
    service = target.service.model_copy(update={"name": text, "version": text})
    update = {"name": text, "service": service, "notes": [text], "image_digest": text}
    return examples.report(
        result,
        lost,
        examples.passed().model_copy(update={"reason": text}),
        target=target.model_copy(update=update),
        warnings=[text],
        left_behind=[text],
        interrupted=text,
        gate=examples.report().gate.model_copy(update={"reasons": [text]}),
    )


def tags(html: str) -> list[str]:
    """Every tag, in order."""
    return re.findall(r"</?[a-zA-Z][a-zA-Z0-9]*", html)


def test_what_was_noted_and_what_stayed_in_the_service_is_said_of_every_verdict() -> None:
    told = {"notes": ["no restart here"], "cleanup": CleanupFacts(left=["memory 7: it is kept"])}
    for result in (examples.failed(), examples.passed(), examples.inconclusive()):
        text = rendered(examples.report(result.model_copy(update=told)))
        assert "- no restart here" in text
        assert "- Left in the service: memory 7: it is kept" in text


@pytest.mark.parametrize("text", [one for one in INJECTIONS if one.strip()])
def test_nothing_that_a_target_says_changes_the_structure(text: str) -> None:
    assert tags(html_of(hostile(text))) == tags(html_of(hostile("plain")))


def test_the_verdict_the_counts_and_the_gate_come_first() -> None:
    head = rendered(examples.report())[:700]
    assert head.startswith("# ❌ FAIL: Deleted memory did not stay deleted\n")
    assert "| 1 | 1 | 1 | 0 | 0 |" in head
    assert "**The gate is closed** (exit code 1)" in head


def test_failing_scenarios_come_before_all_others() -> None:
    text = rendered(examples.report(examples.passed(), examples.inconclusive(), examples.failed()))
    places = [text.index(name) for name in ("❌ MT-AF-001", "INCONCLUSIVE: MT-AF-002")]
    assert places == sorted(places)
    assert places[1] < text.index("Passed and skipped (1)")


def test_a_failing_scenario_has_its_timeline_its_diagram_and_its_command() -> None:
    text = rendered(examples.report(examples.failed()))
    assert "| 7 | +463 ms | observe | after_release | ❌ **visible** |" in text
    assert "```mermaid\nsequenceDiagram\n" in text
    assert "  S-->>G: 7. after_release (+463 ms) marker visible on profile, search\n" in text
    assert (
        "<pre>memtru-ci test --target image:acme/memory:1.2 --window 5 --scenario MT-AF-001" in text
    )
    assert "Surfaces unproven" in text
    assert "<code>list</code>" in text


def test_a_diagram_holds_no_text_of_a_target() -> None:
    text = rendered(hostile("x; evil"))
    diagram = text.partition("```mermaid\n")[2].partition("```")[0]
    assert "evil" not in diagram
    assert "2 further" not in diagram  # the surfaces of events are the example's own


def test_a_verdict_that_proves_nothing_says_why_and_what_to_do_next() -> None:
    text = rendered(examples.report(examples.inconclusive(), examples.errored("MT-AF-003")))
    assert "`ingestion_not_proven`: " in text
    assert "`target_lost`: " in text
    assert text.count("**Next.**") == 2
    assert "ERROR out of memory" in text


def test_a_clean_run_says_what_pass_means_and_what_not() -> None:
    text = rendered(examples.report(examples.passed()))
    assert text.startswith("# ✅ PASS: Deleted memory stayed deleted\n")
    assert "PASS means:" in text
    assert "It says nothing of surfaces that the service does not expose" in text


def test_an_interrupted_run_says_so() -> None:
    text = rendered(examples.report(interrupted="its timeout of 60 s was over"))
    assert "The run was cut short: its timeout of 60 s was over" in text


def test_a_summary_goes_down_the_ladder_until_it_fits() -> None:
    full = SummaryReporter().render(examples.report())
    seen: list[str] = []
    limit = len(full.encode())
    while not seen or LADDER[-1].note not in seen[-1]:
        seen.append(SummaryReporter(limit).render(examples.report()))
        assert len(seen[-1].encode()) <= limit or LADDER[-1].note in seen[-1]
        limit = len(seen[-1].encode()) - 1
    assert [next((d.note for d in LADDER if d.note and d.note in one), "") for one in seen] == [
        one.note for one in LADDER
    ]


def test_the_largest_report_stays_under_the_limit_in_bytes() -> None:
    wide = "🦅|`<" * 100_000
    record = examples.late_write_record()
    many = tuple(
        one.model_copy(update={"detail": wide, "seq": number})
        for number, one in enumerate(record.events * 50, start=1)
    )
    result = examples.failed().model_copy(
        update={"afterlife": None, "reason": wide,
                "record": record.model_copy(update={"events": many})}
    )  # fmt: skip
    report = examples.report(*[result] * 20, warnings=[wide] * 10)
    assert len(rendered(report).encode()) <= MAX_BYTES


def test_the_last_rung_is_short_whatever_the_report_holds() -> None:
    report = hostile("🦅|`<" * 100_000)
    assert len(SummaryReporter(1).render(report).encode()) < 200_000


def test_the_command_that_shows_a_result_again_has_the_runs_own_settings() -> None:
    first, *others = reproduce_of(examples.report(), examples.failed())
    assert first == (
        "memtru-ci test --target image:acme/memory:1.2 --window 5 --scenario MT-AF-001 "
        "--seed 20260105"
    )
    assert others == ["memtru-ci demo --afterlife"]
