"""Annotations: the worst first, ten of a type at most, beside the right line."""

import io
from pathlib import Path

from memtru_ci.domain.report import Report
from memtru_ci.github.annotations import MAX_OF_A_TYPE, annotate
from memtru_ci.github.log import Log
from memtru_ci.reporters import Origin, reporters_for
from memtru_ci.reporters.anchor import SourceFile, Sources, find_anchors
from memtru_ci.reporters.writing import write_all
from tests import examples


def annotated(report: Report, folder: Path) -> list[str]:
    """The annotations of a run in a repository with a settings file."""
    source = SourceFile("conf/mem tru.yml", "target: x\nscenarios:\n- MT-AF-001\n")
    anchors = find_anchors(Sources(settings=source), ["MT-AF-001"])
    write_all(report, folder, reporters_for(Origin(anchors)))
    out = io.StringIO()
    annotate(Log(out), report, folder / "memtru.sarif")
    return out.getvalue().splitlines()


def test_a_finding_stands_where_code_scanning_shows_it(tmp_path: Path) -> None:
    (line,) = annotated(examples.report(examples.failed(), examples.passed()), tmp_path)
    head = "::error file=conf/mem tru.yml,line=3,title=MT-AF-001 FAIL::"
    assert line.startswith(f"{head}The marker was visible again")


def test_each_verdict_has_its_type_and_pass_has_none(tmp_path: Path) -> None:
    report = examples.report(
        examples.passed(),
        examples.skipped("MT-AF-004"),
        examples.inconclusive(),
        examples.errored("MT-AF-003"),
        examples.failed(),
    )
    lines = annotated(report, tmp_path)
    assert [line.split("::")[1].split(" ")[0] for line in lines] == [
        "error",
        "error",
        "warning",
        "notice",
    ]
    assert "MT-AF-001 FAIL" in lines[0]


def test_over_ten_of_a_type_are_the_nine_worst_and_a_count(tmp_path: Path) -> None:
    results = [
        examples.failed().model_copy(update={"scenario": f"MT-AF-{number:03}", "severity": level})
        for number, level in enumerate(["low"] * 5 + ["critical"] * 6, start=1)
    ]
    lines = annotated(examples.report(*results), tmp_path)
    assert len(lines) == MAX_OF_A_TYPE
    assert lines[-1] == "::error title=memtru-ci::2 more: see the job's summary."
    assert [line.split("title=MT-AF-")[1][:3] for line in lines[:6]] == [
        f"{number:03}" for number in range(6, 12)
    ]


def test_ten_of_a_type_are_all_shown(tmp_path: Path) -> None:
    results = [
        examples.failed().model_copy(update={"scenario": f"MT-AF-{number:03}"})
        for number in range(10)
    ]
    lines = annotated(examples.report(*results), tmp_path)
    assert len(lines) == 10
    assert not any("more:" in line for line in lines)


def test_without_a_sarif_file_annotations_have_no_place(tmp_path: Path) -> None:
    out = io.StringIO()
    (tmp_path / "broken.sarif").write_text('{"runs": []}')
    for name in ("missing.sarif", "broken.sarif"):
        annotate(Log(out), examples.report(examples.failed()), tmp_path / name)
    assert out.getvalue().count("::error title=MT-AF-001 FAIL::") == 2
