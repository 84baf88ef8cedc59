"""Timelines written by hand, each with the verdict that the rules of the catalogue give it."""

from dataclasses import dataclass
from functools import cached_property

from memtru_ci.domain.case import Judgement
from memtru_ci.domain.derive import derived
from memtru_ci.domain.judge import RULES, Rule, judge
from memtru_ci.domain.looking import due_offset
from memtru_ci.domain.record import Record
from memtru_ci.domain.timeline import Action, Manner, Outcome
from memtru_ci.domain.verdict import Cause, Trigger, Verdict
from tests.timelines import (
    LATE_WRITE,
    RESTARTED,
    Step,
    calls,
    delete_effective,
    hooks,
    late_write,
    looks,
    performed,
    promise,
    reingestion,
    restarts,
    until,
)
from tests.unit import held_records

Expected = tuple[Verdict, Cause | None, Trigger | None]

ERROR, FAIL, PASS = Verdict.ERROR, Verdict.FAIL, Verdict.PASS
INCONCLUSIVE, SKIPPED = Verdict.INCONCLUSIVE, Verdict.SKIPPED
LATE, AGAIN = Cause.LATE_WRITE_RESURRECTED, Cause.HISTORY_REINGESTION_RESURRECTED


@dataclass(frozen=True)
class Judged:
    """A record and what must come of it."""

    name: str
    scenario: str
    record: Record
    expected: Expected

    def judged(self, rules: tuple[Rule, ...] = RULES) -> Judgement:
        """The judgement of its evidence."""
        return judge(promise(self.scenario), self.evident, rules)

    def outcome(self, rules: tuple[Rule, ...] = RULES) -> Expected:
        """Verdict, cause and trigger."""
        judgement = self.judged(rules)
        return judgement.verdict, judgement.cause, judgement.trigger

    @cached_property
    def evident(self) -> Record:
        """The record as its evidence has it."""
        return derived(self.record)


def _back(after_ms: float = 300) -> dict[str, object]:
    """What surfaces show where the marker comes back on `search`."""
    return {"search": lambda ms: "mb" if ms >= after_ms else "b", "list": "b"}


def _failed(action: Action, outcome: Outcome, status: int | None = 500) -> Step:
    return calls(action, outcome=outcome, status=status)


_GLANCE = looks(Action.AFTER_FAILURE, Manner.GLANCE)
_SEEN = looks(Action.AFTER_FAILURE, Manner.GLANCE, search="mb", list="b")


def _one(
    name: str,
    record: Record,
    verdict: Verdict,
    cause: Cause | None = None,
    trigger: Trigger | None = None,
    scenario: str = "MT-AF-001",
) -> Judged:
    return Judged(name, scenario, record, (verdict, cause, trigger))


def _two(name: str, record: Record, *expected: object) -> Judged:
    return _one(name, record, *expected, scenario="MT-AF-002")


def _three(name: str, record: Record, *expected: object) -> Judged:
    return _one(name, record, *expected, scenario="MT-DEL-003")


def _facts(steps: dict[str, Step | None], upto: str | None, **facts: object) -> Record:
    return performed(until(steps, upto) if upto else {}, **facts)


_PASSES = (
    _one("a held write that stays away", late_write(), PASS),
    _one("a service that can not be restarted", late_write(restart=None, after_restart=None), PASS),
    _two("history that is not ingested again", reingestion(), PASS),
    _two("session starts only", reingestion(consolidate=hooks(Action.START_SESSION)), PASS),
    _two("consolidation only", reingestion(session=None, after_session=None), PASS),
    _three("a delete that holds", delete_effective(), PASS),
    _three(
        "a delete that takes its time",
        delete_effective(
            watch=looks(
                Action.AFTER_DELETE,
                Manner.WATCH_WHOLE,
                search=lambda ms: "mb" if ms < 500 else "b",
                list="b",
            )
        ),
        PASS,
    ),
    _one(
        "an index that warms up after the restart",
        late_write(
            after_restart=looks(
                Action.AFTER_RESTART,
                at=(0, 50, 80, 128, 205, 328, *(839 + due_offset(n) for n in range(9)), 2839),
                search=lambda ms: "" if ms < 800 else "b",
                list="b",
            ),
        ),
        PASS,
    ),
    _one(
        "a sighting inside the service's own consistency window",
        performed(
            LATE_WRITE
            | {
                "after_release": looks(
                    Action.AFTER_RELEASE, search=lambda ms: "mb" if ms < 100 else "b", list="b"
                )
            },
            consistency_window_ms=1000,
        ),
        PASS,
    ),
    _one(
        "a further record that is gone already",
        late_write(
            settle=None,
            delete=lambda t: [
                t.call(Action.DELETE, status=204),
                t.call(Action.DELETE, status=404, outcome=Outcome.PROVIDER_ERROR),
                t.watch(Action.IMMEDIATE_CHECK, Manner.SETTLE),
            ],
        ),
        PASS,
    ),
    _one(
        "an optional hook that is not there",
        late_write(restart=calls(Action.RESTART, status=501, outcome=Outcome.NOT_OFFERED)),
        PASS,
    ),
    _one(
        "a surface that never showed anything",
        late_write(
            control=looks(
                Action.CONFIRM_RETRIEVABLE, Manner.CONTROL, search="mb", list="mb", profile=""
            ),
        ),
        PASS,
    ),
)

_BACK = looks(Action.AFTER_RELEASE, **_back())

_FINDINGS = (
    _one(
        "back after the release",
        late_write("after_release", after_release=looks(Action.AFTER_RELEASE, **_back())),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "back after the restart",
        late_write("after_restart", after_restart=looks(Action.AFTER_RESTART, **_back(0))),
        FAIL,
        LATE,
        Trigger.RESTART,
    ),
    _one(
        "a thread whose deletion did not run, and the marker seen later",
        late_write(delete=hooks(Action.DELETE_THREAD, executed=False), after_release=_BACK),
        INCONCLUSIVE,
        Cause.HOOK_NOT_EXECUTED,
    ),
    _one(
        "back on a surface that had not shown it before",
        late_write(
            after_release=looks(Action.AFTER_RELEASE, search="b", list="b", profile="m"),
        ),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "back in a look without the bystander",
        late_write(after_release=looks(Action.AFTER_RELEASE, search="m", list="b")),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "back by itself before any event",
        late_write(
            settle=looks(
                Action.IMMEDIATE_CHECK,
                Manner.SETTLE,
                at=(0, 50, 80, 128, 205, 328, 600),
                **_back(600),
            ),
        ),
        FAIL,
        LATE,
        Trigger.DELETE,
    ),
    _one(
        "back, and the target is lost later",
        late_write(
            "restart",
            after_release=looks(Action.AFTER_RELEASE, **_back()),
            restart=_failed(Action.RESTART, Outcome.TARGET_LOST, None),
        ),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "back in the look after a hook that failed",
        performed(
            until(LATE_WRITE, "settle")
            | {
                "release": _failed(Action.RELEASE_PENDING_WRITES, Outcome.PROVIDER_ERROR),
                "seen": _SEEN,
            }
        ),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "back although the hold control failed",
        late_write(after_release=looks(Action.AFTER_RELEASE, **_back()), confirm_hold=None),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _two(
        "back after the session",
        reingestion("after_session", after_session=looks(Action.AFTER_SESSION, **_back())),
        FAIL,
        AGAIN,
        Trigger.START_SESSION,
    ),
    _two(
        "back after the consolidation",
        reingestion(after_ingestion=looks(Action.AFTER_INGESTION, **_back())),
        FAIL,
        AGAIN,
        Trigger.CONSOLIDATE,
    ),
    _three(
        "never gone",
        delete_effective(watch=looks(Action.AFTER_DELETE, Manner.WATCH_WHOLE, search="mb")),
        FAIL,
        Cause.DELETE_NOT_EFFECTIVE,
        Trigger.DELETE,
    ),
    _three(
        "still there at the end, in a look that does not count",
        delete_effective(
            watch=looks(
                Action.AFTER_DELETE,
                Manner.WATCH_WHOLE,
                at=(0, 50, 2000, 2050),
                search=lambda ms: "m" if ms == 2000 else "b",
            )
        ),
        FAIL,
        Cause.DELETE_NOT_EFFECTIVE,
        Trigger.DELETE,
    ),
    _three(
        "gone, and back by itself",
        delete_effective(
            watch=looks(Action.AFTER_DELETE, Manner.WATCH_WHOLE, **_back(800)),
        ),
        FAIL,
        Cause.DELETE_NOT_EFFECTIVE,
        Trigger.DELETE,
    ),
)

_ERRORS = (
    _one(
        "the target is lost",
        late_write(
            "release", release=_failed(Action.RELEASE_PENDING_WRITES, Outcome.TARGET_LOST, None)
        ),
        ERROR,
        Cause.TARGET_LOST,
    ),
    _one(
        "an answer breaks the contract",
        late_write(
            "release",
            release=_failed(Action.RELEASE_PENDING_WRITES, Outcome.CONTRACT_VIOLATION, 200),
        ),
        ERROR,
        Cause.CONTRACT_VIOLATION,
    ),
    _one(
        "an error status",
        late_write("delete", delete=_failed(Action.DELETE, Outcome.PROVIDER_ERROR)),
        ERROR,
        Cause.PROVIDER_ERROR,
    ),
    _one(
        "the first delete finds nothing",
        late_write("delete", delete=_failed(Action.DELETE, Outcome.PROVIDER_ERROR, 404)),
        ERROR,
        Cause.PROVIDER_ERROR,
    ),
    _one(
        "a hook that was not there any more",
        late_write(
            "restart",
            restart=calls(Action.RESTART, status=501, outcome=Outcome.PROVIDER_ERROR),
        ),
        ERROR,
        Cause.PROVIDER_ERROR,
    ),
    _one(
        "a surface that can not be read",
        late_write(after_release=looks(Action.AFTER_RELEASE, search="b", list="500")),
        ERROR,
        Cause.SURFACE_UNREADABLE,
    ),
    _one(
        "a surface whose answers are malformed",
        late_write(after_release=looks(Action.AFTER_RELEASE, search="b", list="#")),
        ERROR,
        Cause.CONTRACT_VIOLATION,
    ),
    _one(
        "no surface can be reached",
        late_write(after_release=looks(Action.AFTER_RELEASE, search="x", list="x")),
        ERROR,
        Cause.TARGET_LOST,
    ),
    _one(
        "a surface that was never proven can not be read either",
        late_write(
            after_release=looks(Action.AFTER_RELEASE, search="b", list="b", profile="?"),
        ),
        ERROR,
        Cause.SURFACE_UNREADABLE,
    ),
    _one(
        "an error goes before what would be inconclusive",
        late_write(
            "control_write",
            after_release=None,
            control_write=_failed(Action.CONTROL_WRITE, Outcome.PROVIDER_ERROR),
        ),
        ERROR,
        Cause.PROVIDER_ERROR,
    ),
)

_CALLS = (
    _one(
        "a capability is missing",
        _facts(LATE_WRITE, None, missing=("MEMORY_DELETE or THREAD_DELETE",)),
        SKIPPED,
        Cause.MISSING_CAPABILITY,
    ),
    _one(
        "stopped from outside",
        _facts(LATE_WRITE, "after_restart", stopped="its time was over"),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _one(
        "stopped while a surface could not be read",
        performed(
            until(LATE_WRITE, "release")
            | {"cut": looks(Action.AFTER_RELEASE, at=(0,), search="b", list="500")},
            stopped="its time was over",
        ),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _one(
        "a delete that waits for the held write",
        late_write("delete", delete=_failed(Action.DELETE, Outcome.NO_ANSWER)),
        INCONCLUSIVE,
        Cause.DELETE_BLOCKED_BY_HELD_WRITE,
    ),
    _three(
        "a delete that does not answer, with nothing held",
        delete_effective("delete", delete=_failed(Action.DELETE, Outcome.NO_ANSWER)),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _two(
        "a message whose outcome is unknown",
        reingestion(unrelated=_failed(Action.RECORD_UNRELATED, Outcome.NO_ANSWER)),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _two(
        "a consolidation that did not run",
        reingestion(consolidate=hooks(Action.CONSOLIDATE, executed=False, detail="no model")),
        INCONCLUSIVE,
        Cause.HOOK_NOT_EXECUTED,
    ),
    _one(
        "a restart that made no new process",
        late_write(
            restart=restarts(
                RESTARTED.model_copy(update={"new_started_at": RESTARTED.old_started_at})
            )
        ),
        INCONCLUSIVE,
        Cause.HOOK_NOT_EXECUTED,
    ),
    _one(
        "an answer that is no receipt",
        late_write(release=calls(Action.RELEASE_PENDING_WRITES, answer={"ok": True})),
        INCONCLUSIVE,
        Cause.HOOK_NOT_EXECUTED,
    ),
    _one(
        "a release of nothing",
        performed(
            until(LATE_WRITE, "settle")
            | {"release": hooks(Action.RELEASE_PENDING_WRITES, processed=0), "glance": _GLANCE}
        ),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
    _two(
        "the unrelated message never became a memory",
        reingestion(confirm=looks(Action.CONFIRM_INGESTED, Manner.CONTROL, search="")),
        INCONCLUSIVE,
        Cause.INGESTION_NOT_PROVEN,
    ),
)

_ABSENCES = (
    _one(
        "the marker was never found",
        late_write(
            "control",
            control=looks(Action.CONFIRM_RETRIEVABLE, Manner.CONTROL, search="b", list="mb"),
        ),
        INCONCLUSIVE,
        Cause.POSITIVE_CONTROL_FAILED,
    ),
    _two(
        "marker and bystander in one record",
        reingestion("find", find=looks(Action.FIND_DERIVED, Manner.CONTROL, search="w")),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
    _two(
        "no record to delete",
        reingestion("find", find=looks(Action.FIND_DERIVED, Manner.CONTROL, search="b")),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _one(
        "visible right after the delete",
        late_write("settle", settle=looks(Action.IMMEDIATE_CHECK, Manner.SETTLE, search="mb")),
        INCONCLUSIVE,
        Cause.VISIBLE_AFTER_DELETE,
    ),
    _three(
        "gone at the closing look, but not settled",
        delete_effective(
            watch=looks(
                Action.AFTER_DELETE,
                Manner.WATCH_WHOLE,
                search=lambda ms: "mb" if ms < 1999 else "b",
                list="b",
            )
        ),
        INCONCLUSIVE,
        Cause.VISIBLE_AFTER_DELETE,
    ),
    _one(
        "the bystander went with the delete",
        late_write("settle", settle=looks(Action.IMMEDIATE_CHECK, Manner.SETTLE, search="")),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
    _one(
        "the bystander went from a surface that had shown it",
        late_write(
            "settle", settle=looks(Action.IMMEDIATE_CHECK, Manner.SETTLE, search="b", list="")
        ),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
    _one(
        "too few looks after the delete",
        late_write("settle", settle=looks(Action.IMMEDIATE_CHECK, Manner.SETTLE, at=(0, 400))),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "search was not among what was read after the delete",
        late_write("settle", settle=looks(Action.IMMEDIATE_CHECK, Manner.SETTLE, list="b")),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
)

_WINDOWS = (
    _one(
        "the bystander is lost after the release",
        late_write(after_release=looks(Action.AFTER_RELEASE, search="")),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
    _one(
        "no look began within a window after the release",
        late_write(after_release=looks(Action.AFTER_RELEASE, at=(2100, 2200))),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "the window has a hole",
        late_write(after_release=looks(Action.AFTER_RELEASE, at=(0, 50, 80, 128, 1900, 2000))),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "there is no closing look",
        late_write(after_release=looks(Action.AFTER_RELEASE, at=(0, 50, 80, 128, 1000, 1999))),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "fewer looks count than were made",
        late_write(
            after_release=looks(
                Action.AFTER_RELEASE,
                at=(0, 400, 800, 1200, 1600, 2000),
                took=390,
                search=lambda ms: "?" if ms == 800 else "b",
                list="b",
            )
        ),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "fewer looks were made than there was time for",
        late_write(after_release=looks(Action.AFTER_RELEASE, at=(0, 500, 1000, 1500, 2000))),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
    _one(
        "the reads left no time for more looks",
        late_write(
            after_release=looks(Action.AFTER_RELEASE, at=(0, 500, 1000, 1500, 2000), took=499)
        ),
        PASS,
    ),
    _one(
        "the index warms up too late",
        late_write(
            after_restart=looks(
                Action.AFTER_RESTART,
                at=(0, 1000, *(2001 + due_offset(n) for n in range(9)), 4001),
                search=lambda ms: "" if ms < 2001 else "b",
                list="b",
            ),
        ),
        INCONCLUSIVE,
        Cause.BYSTANDER_LOST,
    ),
    _one(
        "the watch is shorter than was promised",
        late_write(after_release=looks(Action.AFTER_RELEASE, window_ms=500)),
        INCONCLUSIVE,
        Cause.WINDOW_NOT_COVERED,
    ),
)

_I = Cause.EVIDENCE_INCOMPLETE

_CHAINS = (
    _two(
        "no ingestion is on record",
        reingestion(ingest=None),
        INCONCLUSIVE,
        _I := Cause.EVIDENCE_INCOMPLETE,
    ),
    _one("a restart that nobody watched", late_write(after_restart=None), INCONCLUSIVE, _I),
    _one(
        "a release watched too soon",
        late_write(
            release=None,
            after_release=lambda t: [
                t.watch(Action.AFTER_RELEASE, Manner.WATCH),
                t.hook(Action.RELEASE_PENDING_WRITES),
            ],
        ),
        INCONCLUSIVE,
        _I,
    ),
    _three("no positive control", delete_effective(control=None), INCONCLUSIVE, _I),
    _one(
        "a hold that began after the delete",
        late_write(
            begin=None,
            settle=lambda t: [
                t.watch(Action.IMMEDIATE_CHECK, Manner.SETTLE),
                t.hook(Action.BEGIN_PENDING_WRITE),
            ],
        ),
        INCONCLUSIVE,
        _I,
    ),
    _one(
        "no hold control", late_write("after_restart"), INCONCLUSIVE, Cause.HELD_WRITE_NOT_PROCESSED
    ),
    _one(
        "a hold control that never arrived",
        late_write(
            confirm_hold=looks(Action.CONFIRM_HOLD, Manner.CONTROL, search=""),
        ),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
)


def _without(record: Record, *actions: Action) -> Record:
    """The record without these events and all that bears them out."""
    taken = {step for one in record.of(*actions) for step in one.evidence_steps}
    return record.model_copy(
        update={
            "events": tuple(one for one in record.events if one.action not in actions),
            "evidence": tuple(one for one in record.evidence if one.step not in taken),
        }
    )


_TAKEN_OUT = (
    _one(
        "the restart was taken out, and its evidence with it",
        _without(late_write(), Action.RESTART, Action.AFTER_RESTART),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
)

_HELD_BY_GATE = (
    _one("the gate held the write, and the service refused it", held_records.record(), PASS),
    _one(
        "the gate held the write, and it landed",
        held_records.record(update_is_blind=True),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
    _one(
        "an update of a deleted memory makes it anew",
        held_records.record(update_creates=True),
        INCONCLUSIVE,
        Cause.HELD_WRITE_IS_CREATE,
    ),
    _one(
        "the write landed, and nobody looked whether an update is a create",
        _without(held_records.record(update_is_blind=True), Action.CONFIRM_NO_CREATE),
        INCONCLUSIVE,
        Cause.EVIDENCE_INCOMPLETE,
    ),
    _one(
        "a paused worker held nothing back",
        held_records.idle_record("worker_pause"),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
    _one(
        "a write did not wait for its release, as the control's did",
        held_records.impatient_record(),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
    _one(
        "a write was refused before its release",
        held_records.impatient_record("worker_pause", refusal=409),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
    _one(
        "a request was held on the wire, and refused",
        held_records.record("withheld_body"),
        INCONCLUSIVE,
        Cause.HELD_WRITE_NOT_PROCESSED,
    ),
    _one(
        "a request was held on the wire, and landed",
        held_records.record("withheld_body", update_is_blind=True),
        FAIL,
        LATE,
        Trigger.RELEASE_PENDING_WRITES,
    ),
)

CASES: tuple[Judged, ...] = (
    *_PASSES,
    *_FINDINGS,
    *_ERRORS,
    *_CALLS,
    *_ABSENCES,
    *_WINDOWS,
    *_CHAINS,
    *_TAKEN_OUT,
    *_HELD_BY_GATE,
)
