"""The main step runs, tells and hands over; the post step cleans up and never fails."""

import io
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from memtru_ci import assembly
from memtru_ci.domain.report import Report
from memtru_ci.errors import EngineError
from memtru_ci.github import main_step, post_step
from memtru_ci.github.log import Log
from memtru_ci.ports import Progress
from memtru_ci.reporters import reporters_for
from memtru_ci.reporters.writing import write_all
from memtru_ci.settings.file import LoadedSettings
from tests import examples
from tests.unit.test_github_files import parsed


class Job:
    """A workspace, the files of a step, and a run that ends in a given report."""

    def __init__(self, folder: Path, report: Report) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        (self.workspace / "README.md").write_text("")
        self.report = report
        self.loaded: LoadedSettings | None = None
        self.run_id = ""
        self.out = io.StringIO()
        self.environ = {"GITHUB_WORKSPACE": str(self.workspace)}
        for name in ("GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"):
            self.environ[name] = str(folder / name)

    def perform(
        self,
        settings: LoadedSettings,
        progress: Progress,
        *,
        environment: Mapping[str, str],
        run_id: str,
    ) -> Report:
        """In place of a real run: tells its progress and writes the report."""
        self.loaded, self.run_id = settings, run_id
        for number, result in enumerate(self.report.results, start=1):
            progress.scenario_started(result.scenario, number, len(self.report.results))
            for event in result.record.events if result.record else ():
                progress.event_recorded(result.scenario, event)
            progress.scenario_ended(result.scenario, result.verdict, result.reason)
        write_all(self.report, Path(settings.settings.output_dir), reporters_for())
        return self.report

    def main(self, **inputs: str) -> int:
        """The main step with these inputs."""
        given = {f"INPUT_{name.upper().replace('_', '-')}": one for name, one in inputs.items()}
        return main_step(self.environ | given, Log(self.out), self.perform)

    def post(self) -> int:
        """The post step, with the state that the main step saved."""
        state = Path(self.environ["GITHUB_STATE"])
        saved = parsed(state.read_text()) if state.exists() else {}
        states = {f"STATE_{name}": value for name, value in saved.items()}
        return post_step(self.environ | states, Log(self.out))

    @property
    def log(self) -> list[str]:
        return self.out.getvalue().splitlines()

    @property
    def outputs(self) -> dict[str, str]:
        return parsed(Path(self.environ["GITHUB_OUTPUT"]).read_text())

    @property
    def summary(self) -> str:
        path = Path(self.environ["GITHUB_STEP_SUMMARY"])
        return path.read_text() if path.exists() else ""


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.chdir(tmp_path)  # the step changes into its workspace
    return Job(tmp_path, examples.report(examples.failed(), examples.passed()))


def test_a_finding_fails_the_step_and_is_told_everywhere(job: Job) -> None:
    assert job.main(image="acme/memory:1") == 1
    assert job.outputs["verdict"] == "fail"
    assert job.outputs["sarif-file"] == "memtru-results/memtru.sarif"
    assert (job.workspace / job.outputs["report-file"]).is_file()
    assert job.summary == (job.workspace / "memtru-results" / "summary.md").read_text()
    assert "::error file=memtru.yml,line=1,title=MT-AF-001 FAIL::" in job.out.getvalue()
    assert "The gate is closed: MT-AF-001 is FAIL. (exit code 1)." in job.log


def test_a_pass_is_exit_code_zero(job: Job) -> None:
    job.report = examples.report(examples.passed())
    assert job.main(image="acme/memory:1") == 0
    assert job.outputs["verdict"] == "pass"
    assert not any(line.startswith("::error") for line in job.log)


def test_a_build_context_is_named_as_the_repository_has_it(job: Job) -> None:
    (job.workspace / "app").mkdir()
    job.main(build_context="app")
    assert job.loaded is not None
    assert job.loaded.context == Path("app")


def test_a_mistake_in_the_settings_file_is_told_with_its_path_in_the_repository(job: Job) -> None:
    (job.workspace / ".github").mkdir()
    (job.workspace / ".github" / "memtru.yml").write_text("prot: 1\n")
    assert job.main() == 2
    assert "::error title=memtru-ci::.github/memtru.yml:1: `prot` is not a known key" in (
        job.out.getvalue()
    )


def test_inputs_reach_the_run_over_the_settings_file(job: Job) -> None:
    (job.workspace / "memtru.yml").write_text("target: image:a\nport: 9000\nwindow: 9\n")
    job.main(target_url="http://memory:1", port="8080", consistency_window="2")
    assert job.loaded is not None
    settings = job.loaded.settings
    assert (settings.target, settings.port, settings.window) == ("url:http://memory:1", 9000, 2.0)


def test_a_given_settings_file_is_relative_to_the_workspace(job: Job) -> None:
    (job.workspace / "conf").mkdir()
    (job.workspace / "conf" / "m.yml").write_text("target: image:b\n")
    assert job.main(config="conf/m.yml") == 1
    assert job.loaded is not None
    assert job.loaded.settings.target == "image:b"


def test_every_scenario_has_a_group_and_its_verdict_stands_outside(job: Job) -> None:
    job.main(image="a")
    groups = [line for line in job.log if "group::" in line]
    assert groups == [
        "::group::MT-AF-001 (1 of 2)",
        "::endgroup::",
        "::group::MT-DEL-003 (2 of 2)",
        "::endgroup::",
    ]
    verdict = next(index for index, line in enumerate(job.log) if line.startswith("❌ FAIL MT-AF"))
    assert job.log[verdict - 1] == "::endgroup::"


def test_values_of_the_services_environment_are_masked_before_anything_else(job: Job) -> None:
    job.main(image="a", env="TOKEN=s3cret-value\nFLAG=1\n")
    assert job.log[0] == "::add-mask::s3cret-value"
    assert not any(line == "::add-mask::1" for line in job.log)


def test_secrets_named_in_the_settings_are_masked(job: Job) -> None:
    (job.workspace / "memtru.yml").write_text("target: image:a\nsecrets: [API_KEY]\n")
    job.environ["API_KEY"] = "k-123456"
    job.main()
    assert "::add-mask::k-123456" in job.log


def test_the_log_of_a_dead_service_is_shown_without_commands(job: Job) -> None:
    dead = examples.errored().model_copy(update={"log_tail": "::set-env name=A::b\nout\n"})
    job.report = examples.report(dead)
    assert job.main(image="a") == 4
    index = job.log.index("│ ::set-env name=A::b")
    assert job.log[index - 1].startswith("::stop-commands::")


def test_an_incomplete_run_is_not_to_be_uploaded(job: Job) -> None:
    job.report = examples.report(examples.failed(), examples.inconclusive())
    job.main(image="a")
    assert job.outputs["sarif-upload"] == "false"


def test_summary_and_annotations_can_be_switched_off(job: Job) -> None:
    job.main(image="a", summary="false", annotations="false")
    assert job.summary == ""
    assert not any(line.startswith("::error") for line in job.log)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"fail_on_inconclusive": "yes"}, "fail-on-inconclusive"),
        ({"image": "a", "target_url": "http://b"}, "name 2 targets"),
        ({"target": "nonsense:x"}, "input target"),
        ({"image": "a", "output_dir": "../out"}, "leads out of the workspace"),
        ({"config": "missing.yml"}, "missing.yml does not exist"),
        ({"image": "a", "port": "99999"}, "input port"),
    ],
)
def test_wrong_usage_is_one_message_exit_2_and_an_error_output(
    inputs: dict[str, str], said: str, job: Job
) -> None:
    assert job.main(**inputs) == 2
    (error,) = [line for line in job.log if line.startswith("::error ")]
    assert said in error
    assert job.outputs["verdict"] == "error"
    assert job.outputs["exit-code"] == "2"
    assert job.outputs["sarif-upload"] == "false"
    assert job.summary.startswith("# 💥 ERROR: nothing was tested\n")
    assert job.loaded is None


def test_a_bad_settings_file_is_told_with_file_and_line(job: Job) -> None:
    (job.workspace / "memtru.yml").write_text("target: image:a\nprot: 1\n")
    assert job.main() == 2
    assert "memtru.yml:2" in job.out.getvalue()


def test_a_fault_of_the_gates_own_is_no_green_step(job: Job) -> None:
    def broken(*args: object, **kwargs: object) -> Report:
        raise ExceptionGroup("wrapped", [RuntimeError("lost ::error::x")])

    environ = job.environ | {"INPUT_IMAGE": "a", "RUNNER_DEBUG": "1"}
    assert main_step(environ, Log(job.out), broken) == 4
    assert job.outputs["verdict"] == "error"
    assert "RuntimeError: lost" in job.out.getvalue()
    assert "Traceback" in job.out.getvalue()


def test_a_workspace_without_a_checkout_is_warned_of(job: Job) -> None:
    (job.workspace / "README.md").unlink()
    job.main(image="a")
    assert any("The workspace is empty" in line for line in job.log)


def test_files_that_a_runner_does_not_mount_change_nothing(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"):
        job.environ[name] = "/nowhere/file"
    assert job.main(image="a") == 1
    assert capsys.readouterr().err.count("cannot be written to") == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_reports_belong_to_the_owner_of_the_workspace(job: Job) -> None:
    os.chown(job.workspace, 1234, 5678)
    job.main(image="a")
    made = [job.workspace / "memtru-results", *(job.workspace / "memtru-results").iterdir()]
    assert len(made) == 4
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(1234, 5678)}
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {"0o755", "0o644"}


def test_the_post_step_cleans_up_the_run_of_the_main_step(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def clean(run_id: str | None = None) -> list[str]:
        asked.append(run_id)
        return ["container memtru-1"]

    monkeypatch.setattr(assembly, "clean", clean)
    job.main(image="a")
    assert job.post() == 0
    assert asked == [job.run_id]
    assert job.run_id
    assert "memtru-ci: removed container memtru-1" in job.log


def test_the_post_step_tolerates_a_missing_engine(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clean(run_id: str | None = None) -> list[str]:
        raise EngineError("There is no Docker socket.", hint="Use url:.")

    monkeypatch.setattr(assembly, "clean", clean)
    job.main(image="a")
    assert job.post() == 0
    assert "memtru-ci: not cleaned up: There is no Docker socket. Use url:." in job.log


@pytest.mark.parametrize("run_id", ["", "a b", "x" * 100, "../x", "a\n"])
def test_the_post_step_cleans_nothing_without_a_proper_run(
    run_id: str, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clean(run_id: str | None = None) -> list[str]:
        raise AssertionError("cleaned up")

    monkeypatch.setattr(assembly, "clean", clean)
    assert post_step({"STATE_run_id": run_id}, Log(job.out)) == 0
    assert "AssertionError" not in job.out.getvalue()
    assert "nothing to clean up" in job.out.getvalue()
