"""The doctor tries each operation once, says what is missing for what, and leaves nothing."""

import json
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memtru_ci.assembly import Check, State, examine
from memtru_ci.assembly.clock import MonotonicClock
from memtru_ci.assembly.parts import real_parts
from memtru_ci.cli.app import app
from memtru_ci.cli.doctor import table_of
from memtru_ci.cli.failures import exit_code_of
from memtru_ci.domain.capability import Capability
from memtru_ci.errors import InfrastructureError, UsageError
from memtru_ci.ports import TargetFacts
from memtru_ci.settings.file import LoadedSettings
from memtru_ci.settings.model import Settings
from tests.unit.rest_app import RestApp, Seen, connected, mapping_of


class Notes:
    """A notes service that works; `broken` answers are given in place of its own, by line."""

    def __init__(self, **broken: tuple[int, Any]) -> None:
        self.notes: dict[str, str] = {}
        self.makes_versions = False
        self._broken = broken

    def __call__(self, seen: Seen) -> tuple[int, Any]:
        method, path = seen.line.split("?")[0].split(" ")
        if method in self._broken:
            return self._broken[method]
        if path == "/health":
            return 200, {}
        shown = [{"id": key, "text": text} for key, text in self.notes.items()]
        if method == "GET":
            return 200, {"notes": shown, "hits": shown}
        if method == "POST":
            self.notes[f"n{len(self.notes)}"] = seen.body["text"]
            return 201, {"note": {"id": f"n{len(self.notes) - 1}"}}
        key = path.rpartition("/")[2]
        if key not in self.notes:
            return 404, {}
        if method == "DELETE":
            del self.notes[key]
        else:
            self.notes[f"{key}-2" if self.makes_versions else key] = seen.body["text"]
        return 200, {}


class NotesTarget:
    """Implements `ports.Target` over a scripted service."""

    is_shared = True
    name = "url:http://notes"
    can_restart = False
    can_hold = False

    def __init__(self, service: Notes, mapping: Any = None) -> None:
        self._connection = connected(RestApp(service), mapping)
        self.left_behind: list[str] = []
        self.was_closed = False

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "url")

    @asynccontextmanager
    async def started(self) -> Any:
        yield self

    def service(self, log: Any) -> Any:
        return self._connection.service(log)

    async def aclose(self) -> None:
        self.was_closed = True


def _examined(service: Notes, mapping: Any = None, **settings: Any) -> Any:
    target = NotesTarget(service, mapping)
    real = real_parts()
    parts = type(real)(
        real.scenarios, real.suites, lambda *_: target, real.make_run, MonotonicClock()
    )
    loaded = LoadedSettings(Settings(target="url:http://notes", window=0.5, **settings))
    diagnosis = examine(loaded, environment={"SECRET": "hush"}, parts=parts)
    assert target.was_closed
    return diagnosis


def _states(diagnosis: Any) -> dict[str, State]:
    return {one.operation: one.state for one in diagnosis.checks}


def test_a_service_that_works_is_well_and_nothing_is_left_in_it() -> None:
    notes = Notes()
    diagnosis = _examined(notes)
    states = _states(diagnosis)
    assert diagnosis.exit_code == 0
    assert [name for name, state in states.items() if state is State.WORKS] == [
        "capabilities",
        "write",
        "write again",
        "search",
        "list",
        "update",
        "updated text",
        "delete",
        "deleted: search",
        "deleted: list",
    ]
    assert notes.notes == {}


def test_a_version_that_an_update_makes_is_deleted_too() -> None:
    notes = Notes()
    notes.notes["other"] = "somebody else's"
    notes.makes_versions = True
    assert _examined(notes).exit_code == 0
    assert notes.notes == {"other": "somebody else's"}


def test_what_is_not_offered_is_named_with_the_scenarios_that_miss_it() -> None:
    diagnosis = _examined(Notes())
    missing = {one.operation: one.missing_for for one in diagnosis.checks}
    assert missing["record_conversation"] == ("MT-AF-002",)
    assert missing["begin_pending_write"] == ("MT-AF-001",)
    assert missing["delete_thread"] == ()
    assert missing["search"] == ()
    assert missing["policy_query"][0].startswith("MT-LP")


@pytest.mark.parametrize(
    ("broken", "failing", "key"),
    [
        ({"POST": (404, {"detail": "Not Found"})}, "write", "operations.write.path"),
        ({"POST": (201, {"id": "x"})}, "write", "operations.write.id"),
        ({"PATCH": (405, {})}, "update", "operations.update.method"),
        ({"DELETE": (501, {})}, "delete", "operations.delete.path"),
    ],
)
def test_a_misfit_is_shown_with_request_answer_and_key(
    broken: dict[str, Any], failing: str, key: str
) -> None:
    diagnosis = _examined(Notes(**broken))
    (check,) = diagnosis.failing
    (answer,) = broken.values()
    assert check.operation == failing
    assert check.trouble is not None
    assert check.trouble.request.startswith(f"{next(iter(broken))} /v1/memtru-doctor-")
    assert check.trouble.answer == f"{answer[0]} {json.dumps(answer[1], separators=(',', ':'))}"
    assert f"`service.{key}`" in check.trouble.problem
    assert diagnosis.exit_code == 3


def test_a_vector_in_a_request_is_told_by_its_length() -> None:
    written = {"body": {"text": "{content}", "vector": "{content_vector}"}, "id": "other"}
    diagnosis = _examined(Notes(), mapping_of({"write": written}, vector_dimensions=32))
    (check,) = diagnosis.failing
    assert check.trouble is not None
    assert '"vector":"(32 numbers)"' in check.trouble.request


def test_what_builds_on_a_failed_write_is_not_tried() -> None:
    states = _states(_examined(Notes(POST=(500, {}))))
    assert states["write"] is State.FAILS
    assert states["search"] is State.UNTRIED
    assert states["update"] is State.UNTRIED
    assert states["delete"] is State.UNTRIED
    assert "write again" not in states


def test_a_text_that_never_shows_is_found_out() -> None:
    diagnosis = _examined(Notes(GET=(200, {"notes": [], "hits": []})))
    told = {one.operation: one.came for one in diagnosis.failing}
    assert set(told) == {"search", "list", "updated text"}
    assert told["search"] == "not within 0.5 s: both memories are shown (0 results came)"


def test_a_service_that_does_not_answer_at_all_is_exit_4() -> None:
    mapping = mapping_of(version={"path": "/about", "value": "nothing"})
    diagnosis = _examined(Notes(), mapping)
    assert [one.operation for one in diagnosis.checks] == ["capabilities"]
    assert diagnosis.exit_code == 4


def test_secrets_are_nowhere_in_what_is_told() -> None:
    broken = Notes(POST=(400, {"detail": "bad key hush"}))
    diagnosis = _examined(broken, secrets=["SECRET"])
    assert "hush" not in json.dumps(diagnosis.document())
    assert "bad key" in json.dumps(diagnosis.document())


def test_a_target_that_cannot_start_is_an_error() -> None:
    loaded = LoadedSettings(Settings(target="url:http://127.0.0.1:9", ready_timeout=0.2))
    with pytest.raises(InfrastructureError, match="did not answer 200"):
        examine(loaded)
    with pytest.raises(UsageError, match="no target is named"):
        examine(LoadedSettings(Settings()))


def test_the_reference_service_is_well_and_the_table_fits(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = exit_code_of(
        lambda: app(args=["doctor", "--target", "embedded:"], prog_name="memtru-ci")
    )
    out = capsys.readouterr().out
    assert code == 0
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "consolidate             yes" in out
    assert out.splitlines()[-1].endswith("all that it offers works")


def test_the_doctor_has_json_for_programs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["doctor", "--target", "embedded:delete_ignored", "--window", "0.5", "--json"]
    code = exit_code_of(lambda: app(args=arguments, prog_name="memtru-ci"))
    document = json.loads(capsys.readouterr().out)
    assert code == document["exit_code"] == 3
    failing = [one for one in document["checks"] if one["state"] == "fails"]
    assert {one["operation"] for one in failing} == {"deleted: search", "deleted: list"}
    assert all(one["trouble"]["request"] for one in failing)


def test_the_table_is_80_columns_whatever_comes() -> None:
    hostile = Check(
        "surface " + "x" * 64,
        State.FAILS,
        "\x1b[2J" + "y" * 5000,
        Capability.LIFECYCLE_SURFACES,
        missing_for=tuple(f"MT-AF-{number:03}" for number in range(20)),
    )
    lines = list(table_of((hostile,)))
    assert all(len(line) <= 80 for line in lines)
    assert all("\x1b" not in line for line in lines)
