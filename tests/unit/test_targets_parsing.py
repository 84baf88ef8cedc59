"""How a target is named, and what its options may be."""

import subprocess
import sys

import pytest

from memtru_ci.containers import ContainerSpec
from memtru_ci.errors import UsageError
from memtru_ci.targets import FORMS, TARGETS, ContainerOptions, parse
from memtru_ci.targets.options import notes_of, spec_of


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("embedded:", "embedded", ""),
        ("embedded:profile_only", "embedded", "profile_only"),
        ("python:acme.memory:Adapter", "python", "acme.memory:Adapter"),
        ("process:python server.py --port 9", "process", "python server.py --port 9"),
        ("url:http://localhost:8080", "url", "http://localhost:8080"),
        ("image:acme/memory:1.2", "image", "acme/memory:1.2"),
        ("build:.", "build", "."),
        ("container:compose-memory-1", "container", "compose-memory-1"),
    ],
)
def test_a_target_is_a_kind_and_a_rest(text: str, kind: str, rest: str) -> None:
    assert parse(text) == (kind, rest)


@pytest.mark.parametrize("text", ["", "acme/memory", "http://localhost:8080", "Image:acme"])
def test_an_unknown_kind_is_an_error_that_lists_every_kind(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)

    assert all(form in caught.value.hint for form in FORMS.values())


@pytest.mark.parametrize(
    "text",
    ["image:", "build: ", "container:", "process:", "url:localhost:80", "url:http://", "python:m"],
)
def test_an_incomplete_target_is_an_error_that_shows_its_form(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)

    assert FORMS[text.partition(":")[0]] in caught.value.hint


def test_every_kind_has_a_form_and_is_its_own_file() -> None:
    assert set(FORMS) == set(TARGETS)
    assert {f"memtru_ci.targets.{kind}" for kind in TARGETS} == {
        target.__module__ for target in TARGETS.values()
    }


def test_naming_a_target_imports_no_costly_library() -> None:
    program = (
        "import sys, memtru_ci.targets, memtru_ci.containers\n"
        "print([one for one in ('docker', 'httpx', 'starlette', 'uvicorn') if one in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert output.stdout.decode().strip() == "[]"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"port": 0}, "port"),
        ({"port": 70_000}, "port"),
        ({"health_path": "health"}, "health_path"),
        ({"ready_timeout_s": 0}, "ready_timeout"),
        ({"stop_grace_s": -1}, "stop_grace"),
        ({"egress": "all"}, "egress"),
        ({"memory": "lots"}, "memory"),
        ({"cpus": 0}, "cpus"),
        ({"pids": 0}, "pids"),
        ({"log_lines": 0}, "log_lines"),
        ({"volumes": {"/etc": "/etc"}}, "volumes"),
        ({"volumes": {"data": "data"}}, "absolute"),
        ({"tmpfs": {"tmp": ""}}, "absolute"),
        ({"capabilities": ["SYS_ADMIN"]}, "SYS_ADMIN"),
    ],
)
def test_an_option_that_isolation_or_docker_forbids_is_named(
    changes: dict[str, object], named: str
) -> None:
    with pytest.raises(UsageError, match=named):
        ContainerOptions(**changes)  # type: ignore[arg-type]


def test_the_default_options_loosen_nothing() -> None:
    assert notes_of(ContainerOptions()) == ()
    assert spec_of("acme", ContainerOptions()) == ContainerSpec("acme")


def test_every_loosened_option_is_noted() -> None:
    loose = ContainerOptions(
        egress="bridge", capabilities=["CHOWN"], memory="2g", cpus=4.0, pids=1000
    )

    notes = notes_of(loose)

    assert len(notes) == 5
    assert any("egress" in note for note in notes)
    assert any("CHOWN" in note for note in notes)
    assert any("2g" in note for note in notes)
