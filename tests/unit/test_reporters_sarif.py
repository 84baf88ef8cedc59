"""`memtru.sarif` is taken in by code scanning, and tells alerts apart by what they are."""

import json
import re
from typing import Any

import pytest

from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Verdict
from memtru_ci.reporters.anchor import SourceFile, Sources, find_anchors
from memtru_ci.reporters.sarif import RepositoryFacts, SarifReporter
from tests import examples

SETTINGS = SourceFile("conf/mem tru.yml", "target: x\nscenarios:\n- MT-AF-001\n- MT-AF-002\n")


def rendered(report: Report, source: SourceFile | None = SETTINGS) -> dict[str, Any]:
    """The only run of the document."""
    anchors = find_anchors(Sources(settings=source), report.settings.scenarios)
    log = json.loads(SarifReporter(anchors).render(report))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    assert log["$schema"].endswith("sarif-2.1.0.json")
    run: dict[str, Any] = log["runs"][0]
    return run


def test_only_a_fail_is_a_result() -> None:
    results = [examples.failed(), examples.passed(), examples.inconclusive()]
    run = rendered(examples.report(*results))
    assert [one["ruleId"] for one in run["results"]] == ["MT-AF-001"]


@pytest.mark.parametrize(
    ("result", "level"),
    [
        (examples.inconclusive(), "warning"),
        (examples.errored(), "error"),
        (examples.skipped(), "note"),
    ],
)
def test_what_was_not_proven_is_a_notification_with_an_explicit_level(
    result: Any, level: str
) -> None:
    run = rendered(examples.report(result))
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == level
    assert result.cause.value in notification["message"]["text"]
    assert notification["associatedRule"]["id"] == result.scenario
    assert run["results"] == []


def test_a_run_without_findings_still_has_results_that_close_old_alerts() -> None:
    run = rendered(examples.report(examples.passed()))
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["exitCode"] == 0


def test_findings_are_no_failed_execution() -> None:
    invocation = rendered(examples.report(examples.failed()))["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 1)


@pytest.mark.parametrize(
    ("severity", "level", "number"),
    [
        ("critical", "error", "9.5"),
        ("high", "error", "8.0"),
        ("medium", "warning", "5.5"),
        ("low", "note", "2.0"),
    ],
)
def test_levels_are_written_even_where_they_equal_a_default(
    severity: str, level: str, number: str
) -> None:
    result = examples.failed().model_copy(update={"severity": severity})
    run = rendered(examples.report(result))
    rule = run["tool"]["driver"]["rules"][0]
    assert run["results"][0]["level"] == level
    assert run["results"][0]["kind"] == "fail"
    assert rule["defaultConfiguration"]["level"] == level
    assert rule["properties"]["security-severity"] == number


def test_a_result_has_one_relative_valid_location_with_a_region_of_four_numbers() -> None:
    run = rendered(examples.report(examples.failed()))
    (location,) = run["results"][0]["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "conf/mem%20tru.yml"
    region = {key: value for key, value in physical["region"].items() if key != "snippet"}
    assert region == {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 12}


def test_the_fingerprint_is_the_hash_of_the_anchors_line() -> None:
    run = rendered(examples.report(examples.failed()))
    anchors = find_anchors(Sources(settings=SETTINGS), ["MT-AF-001"])
    prints = run["results"][0]["partialFingerprints"]
    assert prints["primaryLocationLineHash"] == anchors.of("MT-AF-001").line_hash
    assert re.fullmatch(r"[0-9a-f]{32}:1", prints["memtru/v1"])


def test_several_scenarios_at_one_line_are_alerts_of_their_own() -> None:
    other = examples.failed().model_copy(update={"scenario": "MT-DEL-003"})
    run = rendered(examples.report(examples.failed(), other), SourceFile("m.yml", "target: x\n"))
    keys = {
        (one["ruleId"], one["partialFingerprints"]["primaryLocationLineHash"])
        for one in run["results"]
    }
    assert len(keys) == len(run["results"]) == 2


def test_a_scenario_that_failed_twice_is_one_result() -> None:
    run = rendered(examples.report(examples.failed(), examples.failed()))
    assert len(run["results"]) == 1
    assert len(run["tool"]["driver"]["rules"]) == 1


def test_rules_have_every_text_that_is_required_within_its_limit() -> None:
    results = [examples.failed(), examples.inconclusive(), examples.passed()]
    unknown = examples.passed().model_copy(update={"scenario": "MT-AF-999"})
    rules = rendered(examples.report(*results, unknown))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["MT-AF-001", "MT-AF-002", "MT-DEL-003", "MT-AF-999"]
    for rule in rules:
        for text in ("shortDescription", "fullDescription", "help"):
            assert 0 < len(rule[text]["text"]) <= 1024
        assert rule["help"]["markdown"]
        assert len(rule["properties"]["tags"]) == len(set(rule["properties"]["tags"])) <= 10
        assert "security" in rule["properties"]["tags"]
        assert re.fullmatch("([A-Z][a-z0-9]*)+", rule["name"])


def test_a_result_names_its_rule_by_id_and_index_alike() -> None:
    run = rendered(examples.report(examples.passed(), examples.failed()))
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_timeline_is_one_flow_with_the_delete_and_the_return_as_essential() -> None:
    run = rendered(examples.report(examples.failed()))
    (flow,) = run["results"][0]["codeFlows"]
    (thread,) = flow["threadFlows"]
    steps = thread["locations"]
    assert [step["executionOrder"] for step in steps] == list(range(1, 10))
    essential = [step["executionOrder"] for step in steps if step["importance"] == "essential"]
    assert essential == [4, 7]
    text = "6. release_pending_writes (+411 ms): 1 held write applied."
    assert steps[5]["location"]["message"]["text"] == text
    assert steps[6]["state"]["marker"]["text"] == "visible"
    assert all("uri" in str(step["location"]["physicalLocation"]) for step in steps)


def test_the_category_ends_with_a_slash_so_that_all_of_it_counts() -> None:
    settings = examples.report().settings.model_copy(update={"sarif_category": "memtru/pr-1"})
    run = rendered(examples.report(settings=settings))
    assert run["automationDetails"]["id"] == "memtru/pr-1/"


def test_nothing_of_a_finding_changes_with_ids_times_and_ports() -> None:
    def identity(report: Report) -> tuple[Any, ...]:
        result = rendered(report)["results"][0]
        first_sentence = result["message"]["text"].partition(". ")[0]
        return result["locations"], result["partialFingerprints"], first_sentence

    def at(url: str) -> Any:
        return examples.report().target.model_copy(update={"name": url, "kind": "url"})

    one = examples.report(examples.failed(), target=at("url:http://memory:8080"))
    other = examples.report(
        examples.failed().model_copy(update={"duration_ms": 1, "reason": "otherwise"}),
        target=at("url:http://memory:9999"),
        run_id="other",
        started_at="2027-01-01T00:00:00Z",
    )
    assert identity(one) == identity(other)


def test_texts_of_a_target_make_no_links_and_no_control_characters() -> None:
    hostile = examples.failed().model_copy(
        update={"reason": "[click](http://evil.test) \x1b[31m\r\n::error::x \ud800"}
    )
    text = rendered(examples.report(hostile))["results"][0]["message"]["text"]
    assert not re.search(r"(?<!\\)\]\(", text)
    assert text.isprintable()


def test_rendering_twice_gives_the_same_bytes() -> None:
    reporter = SarifReporter(find_anchors(Sources(settings=SETTINGS)))
    assert reporter.render(examples.report()) == reporter.render(examples.report())


def test_the_repository_is_named_where_it_is_known() -> None:
    anchors = find_anchors(Sources())
    facts = RepositoryFacts("https://github.test/acme/memory", "abc", "main")
    run = json.loads(SarifReporter(anchors, facts).render(examples.report()))["runs"][0]
    (details,) = run["versionControlProvenance"]
    assert details["repositoryUri"] == "https://github.test/acme/memory"
    assert details["revisionId"] == "abc"
    assert "versionControlProvenance" not in rendered(examples.report())


def test_every_verdict_but_pass_is_somewhere_in_the_document() -> None:
    everything = [
        examples.failed(),
        examples.inconclusive(),
        examples.errored("MT-AF-003"),
        examples.skipped("MT-AF-004"),
    ]
    run = rendered(examples.report(*everything))
    said = json.dumps([run["results"], run["invocations"]])
    for result in everything:
        assert result.verdict is not Verdict.PASS
        assert result.scenario in said
