"""What findings and causes mean to a reader, said once for all documents and `explain`."""

from collections.abc import Mapping
from dataclasses import dataclass

from memtru_ci.domain.report import Report
from memtru_ci.domain.verdict import Cause, Verdict


@dataclass(frozen=True)
class Finding:
    """What a FAIL of a scenario says: one sentence each, or a few."""

    scenario: str
    title: str
    meaning: str
    why: str
    avoid: str
    next_step: str


@dataclass(frozen=True)
class Explanation:
    """What a cause says when a verdict is neither PASS nor FAIL."""

    meaning: str
    next_step: str


FINDINGS: Mapping[Cause, Finding] = {
    Cause.LATE_WRITE_RESURRECTED: Finding(
        scenario="MT-AF-001",
        title="A late write brings a deleted memory back",
        meaning="A write that was in flight when the memory was deleted landed after the delete, "
        "and the deleted content can be retrieved again.",
        why="The owner was told that the memory is gone. An agent that finds it again acts on what "
        "it had to forget, and a deletion request was confirmed but not kept.",
        avoid="Let the delete leave a tombstone and check it where writes are applied: an update "
        "of a deleted id is refused however late it comes. Compare versions or apply updates only "
        "where the record still exists; never turn an update into an insert.",
        next_step="Find the code that applies queued or retried writes, and make it check the "
        "tombstone in the same transaction as the write.",
    ),
    Cause.HISTORY_REINGESTION_RESURRECTED: Finding(
        scenario="MT-AF-002",
        title="Retained history brings a deleted memory back",
        meaning="The memory was deleted, its conversation was kept, and a later ingestion read "
        "that conversation again and rebuilt the memory.",
        why="The marker was never sent again after the delete, so it came from retained state: "
        "every user's deletion lasts only until the next session or the next ingestion job.",
        avoid="Remember which sources a deleted memory came from, and let extraction skip them: "
        "a tombstone by source message, or a watermark per thread that a rebuild also honours.",
        next_step="Look at what session start and consolidation read, and let both skip what was "
        "deleted, also when they rebuild from the beginning.",
    ),
    Cause.DELETE_NOT_EFFECTIVE: Finding(
        scenario="MT-DEL-003",
        title="A delete that does not delete",
        meaning="The delete was acknowledged, nothing else happened, and the deleted content could "
        "still be retrieved, or came back by itself, within the window.",
        why="A success was reported for a deletion that did not take place on every surface that "
        "an agent reads.",
        avoid="Remove the record from every index, cache and summary that retrieval reads before "
        "the delete is acknowledged, or state the time that it takes as the consistency window.",
        next_step="Compare the surfaces that still showed the content: one that lags is an index "
        "or cache that the delete does not reach.",
    ),
    Cause.POLICY_VIOLATED: Finding(
        scenario="MT-LP",
        title="Facts are answered that the temporal policy excludes, or left out",
        meaning="A question about facts with validity, corrections and deletions was answered by "
        "other ids than the rules of the temporal policy give.",
        why="An agent that gets a fact which was corrected, has expired or was deleted acts on it; "
        "one that does not get a fact which holds has forgotten what it was told.",
        avoid="Resolve before ranking: keep to the session, then to what is known and valid, let "
        "corrections and tombstones take effect whatever the order of arrival, and pick one winner "
        "per key; rank only the winners. Keep all of that over a restart.",
        next_step="Look at the rule that the reason names; the case's events and questions are in "
        "the record, in the order in which they were sent.",
    ),
}

CAUSES: Mapping[Cause, Explanation] = {
    Cause.POSITIVE_CONTROL_FAILED: Explanation(
        "The marker could not be retrieved before it was deleted, so its absence afterwards would "
        "prove nothing.",
        "Check that a written memory can be found by search within the window; give a longer "
        "window if indexing takes longer.",
    ),
    Cause.VISIBLE_AFTER_DELETE: Explanation(
        "The marker was still visible right after the delete. This is not a resurrection: the "
        "delete itself did not take effect in time.",
        "MT-DEL-003 tests the delete alone: look at its verdict; give a longer window if deletes "
        "settle slowly.",
    ),
    Cause.HOOK_NOT_EXECUTED: Explanation(
        "A lifecycle event reported that it did not run, so nothing can be said of what "
        "follows it.",
        "Read the receipt's detail, and make the hook drive the real mechanism.",
    ),
    Cause.HELD_WRITE_NOT_PROCESSED: Explanation(
        "The held write was not proven to be delivered: nothing was released, or the same "
        "mechanism did not deliver an update of a living record.",
        "Where the service's hook holds, check that its release applies held writes and counts "
        "them in `processed`. Where the gate holds, see in the reason where the write should have "
        "come by, and choose another `hold.by` if it never does.",
    ),
    Cause.INGESTION_NOT_PROVEN: Explanation(
        "Ingestion said that it ran, but an unrelated message did not become a memory, so it may "
        "have done nothing.",
        "Check that ingestion turns new user messages into memories within the window.",
    ),
    Cause.BYSTANDER_LOST: Explanation(
        "A memory that must stay was not there, so an absence of the marker would prove nothing.",
        "Check whether the delete removes more than it was asked to, and whether search still "
        "answers in full after the event.",
    ),
    Cause.WINDOW_NOT_COVERED: Explanation(
        "The surfaces could not be looked at often enough over the whole window.",
        "Give a longer window, or find out why reads of the service are slow.",
    ),
    Cause.HELD_WRITE_IS_CREATE: Explanation(
        "The held operation re-creates a record that does not exist, so it may rightly be ordered "
        "after the delete.",
        "If an update must never make a record, say `update_never_creates: true`; else find a "
        "write of the service that only changes what is there.",
    ),
    Cause.EVIDENCE_INCOMPLETE: Explanation(
        "Something was sent and its outcome is not known, or the trial was cut short; writes and "
        "deletes are never sent twice.",
        "Run it again; if it stays, look for time-outs of the service.",
    ),
    Cause.DELETE_BLOCKED_BY_HELD_WRITE: Explanation(
        "The delete did not answer while a write was held, so the order that the scenario needs "
        "did not come about.",
        "Hold the write where it does not hold a lock, or the only worker, that deletes need: "
        "choose another `hold.by`.",
    ),
    Cause.PROVIDER_ERROR: Explanation(
        "The service answered a call of the scenario with an error.",
        "Read the answer in the evidence, and the service's log.",
    ),
    Cause.SURFACE_UNREADABLE: Explanation(
        "A surface could not be read in a whole window.",
        "Read the answers in the evidence, and the service's log.",
    ),
    Cause.CONTRACT_VIOLATION: Explanation(
        "An answer breaks the HTTP contract.",
        "The reason names endpoint and field; compare with the contract's page.",
    ),
    Cause.TARGET_LOST: Explanation(
        "The service could not be brought up, or died in the middle.",
        "Where the gate started it, read its exit code and last log lines; where it did not, see "
        "whether it is up and can be reached from here.",
    ),
    Cause.MISSING_CAPABILITY: Explanation(
        "The service does not offer what the scenario needs.",
        "Implement and advertise the capability, map it (`service.operations`), let the gate "
        "provide it (`model`, `hold`, `jobs`), or leave the scenario out.",
    ),
}

VERDICTS: Mapping[Verdict, str] = {
    Verdict.PASS: "Deleted memory stayed deleted",
    Verdict.FAIL: "Deleted memory did not stay deleted",
    Verdict.INCONCLUSIVE: "Not everything was proven",
    Verdict.ERROR: "The test could not be carried out",
    Verdict.SKIPPED: "Nothing was tested",
}

SIGNS: Mapping[Verdict, str] = {
    Verdict.PASS: "✅",
    Verdict.FAIL: "❌",
    Verdict.INCONCLUSIVE: "⚠️",
    Verdict.ERROR: "💥",
    Verdict.SKIPPED: "⏭️",
}

WHAT_PASS_MEANS = (
    "PASS means: the marker was retrievable, was deleted, was seen to be absent, every lifecycle "
    "event that was tried reported that it ran, and every proven surface was watched over the "
    "whole window after each of them without showing the marker again."
)

WHAT_PASS_DOES_NOT_MEAN = (
    "It says nothing of surfaces that the service does not expose, of backups, replicas, logs or "
    "caches that the gate cannot see, of events that were not driven, or of timings beyond the "
    "window. Over HTTP an endpoint that claims an event it did not drive cannot be told."
)


POLICY = "policy"
"""The suite that tests no deleted marker, and so is spoken of in words of its own."""

POLICY_FAIL = "The memory does not keep to its policy"
POLICY_PASS = "The memory keeps to its policy"

WHAT_POLICY_PASS_MEANS = (
    "In the policy suite PASS means: every question of the case was answered by exactly the ids "
    "that the policy gives, and by the same after a restart where there was one."
)


def headline_of(report: Report) -> str:
    """What a run's verdict says, of what was tested."""
    suites = {one.suite for one in report.results if one.verdict is report.verdict}
    if suites == {POLICY} and report.verdict in (Verdict.FAIL, Verdict.PASS):
        return POLICY_FAIL if report.verdict is Verdict.FAIL else POLICY_PASS
    return VERDICTS[report.verdict]


def pass_means(report: Report) -> str:
    """What PASS means for the scenarios of a run."""
    suites = {one.suite for one in report.results}
    said = {WHAT_POLICY_PASS_MEANS: POLICY in suites, WHAT_PASS_MEANS: suites != {POLICY}}
    return " ".join(text for text, is_said in reversed(said.items()) if is_said)


def finding_of(scenario: str) -> Finding | None:
    """What a FAIL of this scenario would say; None for a scenario that is not known here."""
    return next(
        (one for one in FINDINGS.values() if f"{scenario}-".startswith(f"{one.scenario}-")), None
    )


def page_of(scenario: str) -> str:
    """The name of the page about a scenario; those of a large suite share one."""
    finding = finding_of(scenario)
    return finding.scenario if finding else scenario


def next_step_of(cause: Cause | None) -> str:
    """What a reader can do about a verdict that has this cause."""
    if cause is None:
        return ""
    if cause in FINDINGS:
        return FINDINGS[cause].next_step
    return CAUSES[cause].next_step
