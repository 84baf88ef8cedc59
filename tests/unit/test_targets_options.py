"""What the options of a target in a container may be, and what a target costs to import."""

import subprocess
import sys

import pytest

from memtru_ci.assembly.targets import MAKERS
from memtru_ci.containers import ContainerSpec
from memtru_ci.errors import UsageError
from memtru_ci.targets.options import ContainerOptions, notes_of, spec_of


def test_a_target_imports_no_costly_library_before_it_is_started() -> None:
    kinds = ", ".join(f"memtru_ci.targets.{kind}" for kind in MAKERS)
    program = (
        f"import sys, {kinds}, memtru_ci.containers\n"
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
