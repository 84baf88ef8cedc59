"""Reports of runs that look like real ones, for the tests of everything that reads a report."""

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.marker import Marker
from memtru_ci.domain.receipt import CreatedRecord, HookReceipt, RecordKind, RestartReceipt
from memtru_ci.domain.record import Record
from memtru_ci.domain.report import (
    Afterlife,
    AfterlifeEvent,
    CleanupFacts,
    Counts,
    GateFacts,
    HoldFacts,
    Report,
    RunSettings,
    ScenarioResult,
    ServiceFacts,
    SurfaceFacts,
    TestedTarget,
    ToolFacts,
    WindowFacts,
)
from memtru_ci.domain.timeline import Action, Event, Look, Manner, Outcome, Phase, Reading, Watch
from memtru_ci.domain.verdict import Cause, Trigger, Verdict, overall

NAMESPACE = "memtru-7f3a-af001"
MARKER = Marker(
    topic="kestrel512345678",
    secret="c7m3p9xk2w5r8t4v6y2z",
    content="Please remember: my access phrase for locker kestrel512345678 is "
    "c7m3p9xk2w5r8t4v6y2z.",
)
BYSTANDER = Marker(
    topic="kestrel512345678",
    secret="h4n8q2sb7d3f9g5j6k2m",
    content="Please remember: Robin's access phrase for locker kestrel512345678 is "
    "h4n8q2sb7d3f9g5j6k2m.",
)


def exchange(step: int, operation: str, *, surface: str | None = None, **other: object) -> Exchange:
    """An exchange that worked."""
    given: dict[str, object] = {
        "method": "POST",
        "path": f"/memories/{operation}",
        "namespace": NAMESPACE,
        "status": 200,
        "outcome": Outcome.DONE,
        "started_ms": step * 2.0,
        "ended_ms": step * 2.0 + 1.0,
    }
    return Exchange.model_validate(
        {**given, **other, "step": step, "operation": operation, "surface": surface}
    )


def look(at_ms: float, marker_on: tuple[str, ...] = ()) -> Look:
    """A look at `search` and `profile` that shows the bystander on both."""
    readings = tuple(
        Reading(
            surface=surface,
            outcome=Outcome.DONE,
            marker=surface in marker_on,
            bystander=True,
            started_ms=at_ms,
            ended_ms=at_ms + 1.0,
        )
        for surface in ("search", "profile")
    )
    return Look(started_ms=at_ms, readings=readings)


def event(
    seq: int, phase: Phase, action: Action, detail: str, at_ms: float, **other: object
) -> Event:
    """An event that took a millisecond."""
    given = {"started_ms": at_ms, "ended_ms": at_ms + 1.0, "step": 1}
    return Event.model_validate(
        {**given, **other, "seq": seq, "phase": phase, "action": action, "detail": detail}
    )


def watch(manner: Manner, since_ms: float, *looks: Look) -> Watch:
    """A watch with a window of five seconds."""
    return Watch(manner=manner, window_ms=5000, since_ms=since_ms, looks=looks)


def late_write_record() -> Record:
    """What was recorded when a held write brought the marker back."""
    both = ("search", "profile")
    return Record(
        namespace=NAMESPACE,
        marker=MARKER,
        bystander=BYSTANDER,
        window_ms=5000,
        deletion_contract="memory_record",
        events=(
            event(1, Phase.CREATE, Action.WRITE_MEMORY, "memory mem_000001 written", 1.0,
                  record_id="mem_000001", evidence_steps=(1,)),
            event(2, Phase.POSITIVE_CONTROL, Action.CONFIRM_RETRIEVABLE,
                  "marker visible on search, profile", 4.0, evidence_steps=(2, 3),
                  watch=watch(Manner.CONTROL, 3.0, look(4.0, both))),
            event(3, Phase.PENDING_WRITE, Action.BEGIN_PENDING_WRITE,
                  "an update of mem_000001 is held", 9.0, evidence_steps=(4,),
                  receipt=HookReceipt(executed=True, detail="held", created=(
                      CreatedRecord(kind=RecordKind.PENDING_WRITE, id="pw_1"),))),
            event(4, Phase.DELETE, Action.DELETE, "memory mem_000001 deleted (204)", 12.0,
                  record_id="mem_000001", evidence_steps=(5,)),
            event(5, Phase.IMMEDIATE_CHECK, Action.IMMEDIATE_CHECK,
                  "marker absent from every checked surface", 15.0, evidence_steps=(6, 7),
                  watch=watch(Manner.SETTLE, 13.0, look(15.0), look(180.0), look(400.0))),
            event(6, Phase.LIFECYCLE, Action.RELEASE_PENDING_WRITES, "1 held write applied", 410.0,
                  evidence_steps=(8,), receipt=HookReceipt(executed=True, processed=1)),
            event(7, Phase.OBSERVE, Action.AFTER_RELEASE, "marker visible on search, profile",
                  462.0, evidence_steps=(9, 10),
                  watch=watch(Manner.WATCH, 411.0, look(462.0, both))),
            event(8, Phase.LIFECYCLE, Action.RESTART,
                  "container restarted, ready after 812 ms", 470.0,
                  restart=RestartReceipt(provider="container",
                                         old_started_at="2026-01-05T09:00:01.000Z",
                                         new_started_at="2026-01-05T09:00:02.500Z",
                                         exit_code=0, signal="SIGTERM", grace_s=10.0,
                                         ready_ms=812.0)),
            event(9, Phase.OBSERVE, Action.AFTER_RESTART, "marker visible on search", 1800.0,
                  evidence_steps=(11,),
                  watch=watch(Manner.GLANCE, 1790.0, look(1800.0, ("search",)))),
        ),
        evidence=(
            exchange(1, "write", path="/memories", status=201, answer={"id": "mem_000001"}),
            exchange(2, "search", surface="search", request={"query": MARKER.query},
                     answer={"results": [{"id": "mem_000001", "content": MARKER.content}]}),
            exchange(3, "inspect_surface", surface="profile", path="/lifecycle/surfaces/profile"),
            exchange(4, "begin_pending_write", path="/lifecycle/pending-writes"),
            exchange(5, "delete", method="DELETE", path="/memories/mem_000001", status=204),
            exchange(6, "search", surface="search", answer={"results": []}),
            exchange(7, "inspect_surface", surface="profile", path="/lifecycle/surfaces/profile"),
            exchange(8, "release_pending_writes", path="/lifecycle/pending-writes/release",
                     answer={"executed": True, "processed": 1}),
            exchange(9, "search", surface="search", request={"query": MARKER.query},
                     answer={"results": [{"id": "mem_000001", "content": MARKER.content}]}),
            exchange(10, "inspect_surface", surface="profile", path="/lifecycle/surfaces/profile",
                     answer={"results": [{"content": MARKER.content}]}),
            exchange(11, "search", surface="search"),
        ),
    )  # fmt: skip


def afterlife_of(record: Record, decided_by: int | None, trigger: str | None) -> Afterlife:
    """The `afterlife` object as it follows from a record."""
    events = []
    for one in record.events:
        looks = one.watch.looks[-1:] if one.watch else ()
        seen = [reading.surface for at in looks for reading in at.readings if reading.marker]
        events.append(
            AfterlifeEvent(
                seq=one.seq,
                phase=one.phase.value,
                action=one.action.value,
                detail=one.detail,
                marker_visible=bool(seen) if one.watch else None,
                surfaces=seen if one.watch else None,
                elapsed_ms=round(one.ended_ms),
                evidence_step=one.evidence_steps[0] if one.evidence_steps else None,
            )
        )
    return Afterlife(
        deletion_contract="memory_record",
        hooks_executed=["release_pending_writes", "restart"],
        surfaces_checked=["search", "profile"],
        events=events,
        resurrected=decided_by is not None,
        first_resurrection_event=decided_by,
        resurrection_trigger=trigger,
        reproduce=[
            "memtru-ci test --scenario MT-AF-001",
            "memtru-ci demo --afterlife",
        ],
    )


def failed() -> ScenarioResult:
    """MT-AF-001: the held write landed after the delete."""
    record = late_write_record()
    return ScenarioResult(
        scenario="MT-AF-001",
        title="Late write resurrection",
        suite="afterlife",
        severity="high",
        verdict=Verdict.FAIL,
        cause=Cause.LATE_WRITE_RESURRECTED,
        reason="The marker was visible again on search, profile after release_pending_writes.",
        trigger=Trigger.RELEASE_PENDING_WRITES,
        deciding_event=7,
        finding="late_write_resurrected",
        duration_ms=7020,
        surfaces=[
            SurfaceFacts(name="search", proven=True, marker_seen_after=True),
            SurfaceFacts(name="profile", proven=True, marker_seen_after=True),
            SurfaceFacts(name="list", proven=False, marker_seen_after=False),
        ],
        windows=[
            WindowFacts(seq=7, action="after_release", manner="watch", window_ms=5000, looks=1,
                        counted=1, largest_gap_ms=None, closing_ms=51.0),
        ],
        hold=HoldFacts(level="declared", mechanism="pending write hook", sent=9.0,
                       seen_at_hold=10.0, delete_sent=12.0, delete_acknowledged=13.0,
                       absence_proven=401.0, released=410.0, write_done=411.0,
                       outcome="applied", control_delivered=True),
        afterlife=afterlife_of(record, 7, "release_pending_writes"),
        cleanup=CleanupFacts(deleted=["memory mem_000001"]),
        record=record,
    )  # fmt: skip


def passed() -> ScenarioResult:
    """MT-DEL-003: the delete deleted."""
    record = Record(
        namespace="memtru-7f3a-del003",
        marker=MARKER,
        bystander=BYSTANDER,
        window_ms=5000,
        events=(
            event(1, Phase.CREATE, Action.WRITE_MEMORY, "memory mem_000004 written", 1.0),
            event(2, Phase.DELETE, Action.DELETE, "memory mem_000004 deleted (204)", 5.0),
            event(3, Phase.OBSERVE, Action.AFTER_DELETE, "marker absent from every surface", 9.0,
                  watch=watch(Manner.WATCH_WHOLE, 6.0, look(9.0), look(5010.0))),
        ),
    )  # fmt: skip
    return ScenarioResult(
        scenario="MT-DEL-003",
        title="Delete is effective",
        suite="deletion",
        severity="high",
        verdict=Verdict.PASS,
        reason="The marker stayed absent from every proven surface over the whole window.",
        duration_ms=5400,
        surfaces=[SurfaceFacts(name="search", proven=True, marker_seen_after=False)],
        windows=[
            WindowFacts(seq=3, action="after_delete", manner="watch_whole", window_ms=5000,
                        looks=12, counted=12, largest_gap_ms=1004.0, closing_ms=5004.0),
        ],
        record=record,
    )  # fmt: skip


def inconclusive() -> ScenarioResult:
    """MT-AF-002: ingestion did nothing that could be seen."""
    return ScenarioResult(
        scenario="MT-AF-002",
        title="Session re-ingestion resurrection",
        suite="afterlife",
        severity="high",
        verdict=Verdict.INCONCLUSIVE,
        cause=Cause.INGESTION_NOT_PROVEN,
        reason="Ingestion ran but did not turn the unrelated message into a memory.",
        deciding_event=9,
        duration_ms=9800,
    )


def errored(scenario: str = "MT-AF-002") -> ScenarioResult:
    """The service died in the middle."""
    return ScenarioResult(
        scenario=scenario,
        title="Session re-ingestion resurrection",
        suite="afterlife",
        severity="high",
        verdict=Verdict.ERROR,
        cause=Cause.TARGET_LOST,
        reason="The container exited with code 137 (killed for lack of memory) at start_session.",
        log_tail="INFO ready\nERROR out of memory\n",
    )


def skipped(scenario: str = "MT-AF-002") -> ScenarioResult:
    """A capability is missing."""
    return ScenarioResult(
        scenario=scenario,
        title="Session re-ingestion resurrection",
        suite="afterlife",
        severity="high",
        verdict=Verdict.SKIPPED,
        cause=Cause.MISSING_CAPABILITY,
        reason="The service does not advertise LIFECYCLE_CONVERSATION.",
    )


def report(*results: ScenarioResult, **other: object) -> Report:
    """A report of these results; of a FAIL, an INCONCLUSIVE and a PASS where none are given."""
    chosen = list(results) or [failed(), inconclusive(), passed()]
    verdicts = [one.verdict for one in chosen]
    worst = overall(verdicts)
    exit_code = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3, "SKIPPED": 3, "ERROR": 4}[worst]
    given: dict[str, object] = {
        "tool": ToolFacts(version="0.1.0"),
        "run_id": "7f3a",
        "started_at": "2026-01-05T09:00:00Z",
        "duration_ms": 24310,
        "complete": not {Verdict.ERROR, Verdict.INCONCLUSIVE} & set(verdicts),
        "target": TestedTarget(
            name="image:acme/memory:1.2",
            kind="image",
            image_digest="sha256:" + "0123456789abcdef" * 4,
            service=ServiceFacts(
                name="acme-memory",
                version="2.3.1",
                capabilities=["MEMORY_WRITE", "MEMORY_SEARCH", "MEMORY_DELETE"],
            ),
            notes=["The network of the target leads outside (egress: bridge)."],
        ),
        "settings": RunSettings(
            scenarios=[one.scenario for one in chosen],
            window_ms=5000,
            timeout_ms=600_000,
            fail_on="medium",
            seed=20260105,
            command=["memtru-ci", "test", "--target", "image:acme/memory:1.2", "--window", "5"],
        ),
        "verdict": worst,
        "counts": Counts(
            passed=verdicts.count(Verdict.PASS),
            failed=verdicts.count(Verdict.FAIL),
            inconclusive=verdicts.count(Verdict.INCONCLUSIVE),
            error=verdicts.count(Verdict.ERROR),
            skipped=verdicts.count(Verdict.SKIPPED),
        ),
        "gate": GateFacts(
            open=exit_code == 0,
            exit_code=exit_code,
            reasons=[] if exit_code == 0 else [f"{chosen[0].scenario} is {worst.value}."],
        ),
        "results": chosen,
    }
    return Report.model_validate({**given, **other})
