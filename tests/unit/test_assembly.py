"""A run as a whole: what goes in, what is written, and how it ends."""

import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from memtru_ci import assembly
from memtru_ci.assembly import running, targets
from memtru_ci.assembly.beside import attendants_of, jobs_of, sidecars_of
from memtru_ci.assembly.demonstration import Demonstration
from memtru_ci.assembly.interruption import Ears, cut_short
from memtru_ci.assembly.parts import Parts
from memtru_ci.assembly.surroundings import Surroundings, look_around
from memtru_ci.assembly.targets import make_target, without_effect
from memtru_ci.cli.console import SilentProgress
from memtru_ci.containers import HealthCheck
from memtru_ci.domain.report import Report, ScenarioResult, ServiceFacts
from memtru_ci.domain.verdict import Cause, Verdict
from memtru_ci.errors import EngineError, UsageError
from memtru_ci.ports import Instance, Target, TargetFacts
from memtru_ci.reporters.writing import write_all
from memtru_ci.run import Run
from memtru_ci.scenarios import SCENARIOS, SUITES
from memtru_ci.settings.file import LoadedSettings
from memtru_ci.settings.model import Settings
from memtru_ci.targets.attendants import HoldOptions
from memtru_ci.targets.options import JobOptions
from memtru_ci.targets.sidecars import SidecarOptions
from tests.examples import failed, passed, skipped
from tests.examples import report as example

SERVICE = ServiceFacts(name="fake", version="1", capabilities=[])


class StoppedClock:
    """Time does not pass."""

    def now(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        await anyio.lowlevel.checkpoint()


class FakeTarget:
    is_shared = False
    left_behind: Sequence[str] = ()

    def __init__(self, name: str = "image:fake") -> None:
        self.name = name
        self.is_closed = False

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "image", notes=("egress: bridge",))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[Instance]:
        raise NotImplementedError
        yield

    async def aclose(self) -> None:
        self.is_closed = True


class FakeRun:
    """Gives the results it was made with; waits before them where it is to be interrupted."""

    service = SERVICE
    warnings = ("a warning",)

    def __init__(self, results: Sequence[ScenarioResult], begin: Any = None) -> None:
        self.results = list(results)
        self.concluded: str | None = None
        self.given: dict[str, Any] = {}
        self._begin = begin

    def __call__(self, target: Target, scenarios: Sequence[Any], **given: Any) -> "FakeRun":
        self.given = {**given, "scenarios": [one.id for one in scenarios]}
        return self

    async def perform(self) -> None:
        if self._begin is not None:
            self._begin()
            await anyio.sleep_forever()

    def conclude(self, interrupted: str = "") -> None:
        self.concluded = interrupted


def parts(run: FakeRun, target: Target | None = None) -> Parts:
    made = target or FakeTarget()
    return Parts(SCENARIOS, SUITES, lambda *_: made, run, StoppedClock())


def performed(folder: Path, used: Parts, **settings: Any) -> Report:
    given = {"target": "image:fake", "output_dir": str(folder), **settings}
    return assembly.test(
        Settings.model_validate(given), SilentProgress(), environment={}, parts=used
    )


def test_a_run_gives_its_report_and_writes_it(tmp_path: Path) -> None:
    report = performed(tmp_path, parts(FakeRun([passed()])), scenarios="afterlife")
    written = Report.model_validate_json((tmp_path / "report.json").read_bytes())
    assert written == report
    assert report.verdict is Verdict.PASS
    assert report.gate.exit_code == 0
    assert report.complete
    assert report.counts.passed == 1
    assert report.target.service == SERVICE
    assert report.target.notes == ["egress: bridge"]
    assert report.warnings == ["a warning"]
    assert {one.name for one in tmp_path.iterdir()} == {
        "report.json",
        "memtru.sarif",
        "summary.md",
    }


def test_a_run_gets_the_settings(tmp_path: Path) -> None:
    run = FakeRun([passed()])
    report = performed(tmp_path, parts(run), scenarios="afterlife", window=1.5, seed=7)
    assert run.given["scenarios"] == ["MT-AF-001", "MT-AF-002"]
    assert run.given["window_ms"] == 1500
    assert run.given["seed"] == report.settings.seed == 7


def test_without_a_seed_one_is_drawn_and_kept(tmp_path: Path) -> None:
    first = performed(tmp_path, parts(FakeRun([passed()])))
    second = performed(tmp_path, parts(FakeRun([passed()])))
    assert first.settings.seed != second.settings.seed


def test_nothing_to_test_is_an_error_that_says_how_to_name_a_target(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--target") as caught:
        performed(tmp_path, parts(FakeRun([])), target=None)
    assert caught.value.exit_code == 2


def test_an_unwritable_folder_is_found_out_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = FakeRun([])
    with pytest.raises(UsageError, match="cannot be written"):
        performed(tmp_path / "file", parts(run))
    assert run.given == {}


def test_a_secret_is_in_no_document(tmp_path: Path) -> None:
    result = passed().model_copy(update={"notes": ["the key is hunter2-hunter2"]})
    report = performed(tmp_path, parts(FakeRun([result])), env={"API_KEY": "hunter2-hunter2"})
    assert report.results[0].notes == ["the key is [redacted]"]
    for document in tmp_path.iterdir():
        assert "hunter2" not in document.read_text()


def test_a_run_that_takes_too_long_is_cut_short(tmp_path: Path) -> None:
    run = FakeRun([passed()], begin=lambda: None)
    report = performed(tmp_path, parts(run), timeout=1)
    assert run.concluded == report.interrupted == "its timeout of 1 s was over"
    assert not report.complete
    assert report.gate.exit_code == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_a_partial_report(tmp_path: Path, number: signal.Signals) -> None:
    assert threading.current_thread() is threading.main_thread()
    run = FakeRun([passed()], begin=lambda: os.kill(os.getpid(), number))
    report = performed(tmp_path, parts(run))
    assert report.interrupted == f"it was told to stop ({number.name})"
    assert report.gate.exit_code == 3
    assert json.loads((tmp_path / "report.json").read_text())["interrupted"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_target_is_removed_stops_neither_that_nor_the_report(
    tmp_path: Path, number: signal.Signals
) -> None:
    class Dying(FakeTarget):
        async def aclose(self) -> None:
            os.kill(os.getpid(), number)
            await anyio.lowlevel.checkpoint()
            self.is_closed = True

    target = Dying()
    report = performed(tmp_path, parts(FakeRun([passed()]), target))
    assert target.is_closed
    assert report.interrupted == f"it was told to stop ({number.name})"
    assert report.gate.exit_code == 3
    assert (tmp_path / "report.json").exists()


def test_a_signal_while_the_report_is_written_does_not_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*given: Any) -> list[Path]:
        os.kill(os.getpid(), signal.SIGTERM)
        return write_all(*given)

    monkeypatch.setattr(running, "write_all", write)
    performed(tmp_path, parts(FakeRun([passed()])))
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "PASS"


def test_signals_mean_again_what_they_meant_before(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    performed(tmp_path, parts(FakeRun([passed()])))
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_run_in_another_thread_needs_no_signals(tmp_path: Path) -> None:
    found: list[Report] = []
    used = parts(FakeRun([passed()]))
    thread = threading.Thread(target=lambda: found.append(performed(tmp_path, used)))
    thread.start()
    thread.join()
    assert found[0].verdict is Verdict.PASS


@pytest.mark.anyio
async def test_an_error_of_the_work_arrives_as_it_was() -> None:
    async def fail() -> None:
        raise ValueError("mine")

    ears = Ears()
    with ears.restored(), pytest.raises(ValueError, match="mine"):
        await cut_short(fail, 5, ears)


def test_a_target_is_ended_and_what_it_left_is_told(tmp_path: Path) -> None:
    target = FakeTarget()
    target.left_behind = ["network memtru-1"]
    report = performed(tmp_path, parts(FakeRun([passed()]), target))
    assert target.is_closed
    assert report.left_behind == ["network memtru-1"]


def test_a_target_is_ended_even_where_the_gate_itself_fails(tmp_path: Path) -> None:
    def fail() -> None:
        raise ValueError("mine")

    target = FakeTarget()
    with pytest.raises(ValueError, match="mine"):
        performed(tmp_path, parts(FakeRun([], begin=fail), target))
    assert target.is_closed


def test_a_target_that_cannot_be_made_makes_error_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Target:
        raise EngineError("There is no usable Docker Engine.", hint="Use url: or container:.")

    monkeypatch.setitem(targets.MAKERS, "image", refuse)
    used = Parts(SCENARIOS, SUITES, make_target, Run, StoppedClock())
    report = performed(tmp_path, used)
    assert {one.verdict for one in report.results} == {Verdict.ERROR}
    assert {one.cause for one in report.results} == {Cause.TARGET_LOST}
    assert "no usable Docker Engine" in report.results[0].reason
    assert "url: or container:" in report.results[0].reason
    assert report.gate.exit_code == 4
    assert report.target.kind == "image"


def test_settings_that_a_kind_of_target_does_not_take_are_warned_of() -> None:
    settings = Settings(target="url:http://x", egress="bridge", health_path="/up")
    assert without_effect(LoadedSettings(settings)) == ["`egress` has no effect on a url: target."]


def test_secrets_go_from_the_environment_to_the_target() -> None:
    settings = Settings(env={"A": "1"}, secrets=["S"], token_env="T")
    around = look_around(settings, {"S": "hidden-s", "T": "hidden-t", "OTHER": "x"})
    assert around.env == {"A": "1", "S": "hidden-s"}
    assert around.token == "hidden-t"
    assert around.redactor.text("hidden-s hidden-t x 1") == "[redacted] [redacted] x 1"


def test_secrets_of_sidecars_are_theirs_alone_and_show_up_nowhere() -> None:
    redis = {"image": "redis:8", "env": {"A": "1", "DB_PASSWORD": "guessed"}, "secrets": ["S"]}
    settings = Settings(target="image:x", services={"redis": redis})
    around = look_around(settings, {"S": "hidden-s"})
    assert around.env == {}
    assert around.sidecar_env == {"redis": {"A": "1", "DB_PASSWORD": "guessed", "S": "hidden-s"}}
    assert around.redactor.text("hidden-s guessed 1") == "[redacted] [redacted] 1"
    assert sidecars_of(settings, around)[0].env == around.sidecar_env["redis"]


def test_a_secret_of_a_sidecar_that_is_not_set_is_named_with_its_key() -> None:
    settings = Settings(
        target="image:x", services={"redis": {"image": "redis:8", "secrets": ["S"]}}
    )
    with pytest.raises(UsageError, match=r"variable S, named by `services\.redis\.secrets`"):
        look_around(settings, {})


def test_what_is_beside_the_target_comes_from_the_settings() -> None:
    redis = {
        "image": "redis:8",
        "options": "--health-cmd 'redis-cli ping' --health-interval 1s",
        "volumes": ["data:/data"],
        "command": ["redis-server"],
        "memory": "64m",
    }
    settings = Settings(
        target="image:x",
        services={"redis": redis},
        model={"dimensions": 8, "port": 9000},
        hold={"by": "store", "sidecar": "redis", "port": 6379},
        jobs={"consolidate": {"command": ["work"], "timeout": 5.0}},
    )
    assert sidecars_of(settings, look_around(settings, {})) == [
        SidecarOptions(
            "redis",
            "redis:8",
            command=["redis-server"],
            health=HealthCheck("redis-cli ping", interval_s=1.0),
            volumes={"data": "/data"},
            memory="64m",
            capabilities=[],
        )
    ]
    attendants = attendants_of(settings)
    assert attendants.model is not None
    assert (attendants.model.dimensions, attendants.model.port) == (8, 9000)
    assert attendants.hold == HoldOptions("store", "redis", 6379)
    assert jobs_of(settings) == {"consolidate": JobOptions(["work"], 5.0)}


def test_a_target_that_the_gate_cannot_lead_to_a_model_has_none() -> None:
    settings = Settings(target="container:x", model={})
    assert attendants_of(settings).model is None
    assert without_effect(LoadedSettings(settings)) == [
        "`model` has no effect on a container: target."
    ]


@pytest.mark.parametrize("settings", [Settings(secrets=["S"]), Settings(token_env="S")])
def test_a_secret_that_is_not_set_is_an_error_that_names_it(settings: Settings) -> None:
    with pytest.raises(UsageError, match="variable S"):
        look_around(settings, {})


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("embedded:delayed", "embedded:delayed"),
        ("url:http://127.0.0.1:1", "url:http://127.0.0.1:1"),
        ("process:python x.py", "process:python x.py"),
        ("python:a.b:C", "python:a.b:C"),
        ("image:acme/memory:1", "image:acme/memory:1"),
        ("container:memory-1", "container:memory-1"),
    ],
)
def test_every_kind_of_target_is_made(text: str, name: str) -> None:
    settings = Settings(target=text)
    around = look_around(settings, {})
    assert make_target(LoadedSettings(settings), around, "run").name == name


def test_a_build_is_made_from_its_context(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    loaded = LoadedSettings(Settings(build={}), context=tmp_path)
    made = make_target(loaded, Surroundings({}, None, look_around(Settings(), {}).redactor), "run")
    assert made.facts().kind == "build"


@contextmanager
def silently(store: str) -> Iterator[SilentProgress]:
    yield SilentProgress()


def demonstration(broken: Report, fixed: Report | None) -> Demonstration:
    return Demonstration(broken, fixed, "")


def test_a_demo_is_as_expected_only_if_the_broken_store_fails_and_the_fixed_one_passes() -> None:
    assert demonstration(example(failed()), example(passed())).is_as_expected
    assert not demonstration(example(passed()), example(passed())).is_as_expected
    assert not demonstration(example(failed()), example(failed())).is_as_expected
    assert not demonstration(example(failed()), example(skipped())).is_as_expected
    assert not demonstration(example(failed()), None).is_as_expected


def test_a_demo_really_runs_and_writes_both_reports(tmp_path: Path) -> None:
    shown = assembly.demo(tmp_path, silently, suites=["deletion"], window_s=0.5)
    assert shown.fixed is not None
    assert shown.fixed.verdict is Verdict.PASS
    assert shown.broken.target.name == "embedded:no_tombstones"
    for store, report in (("broken", shown.broken), ("fixed", shown.fixed)):
        written = (tmp_path / store / "report.json").read_bytes()
        assert Report.model_validate_json(written) == report
        assert report.results[0].record is not None
    assert "MT-DEL-003" in shown.comparison
