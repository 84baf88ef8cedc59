"""Targets in processes of their own: started, restarted, killed, and told about when they die."""

import os
import shlex
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from memtru_ci.errors import TargetError, UsageError
from memtru_ci.targets.process import ProcessTarget
from memtru_ci.targets.spawned import free_port
from tests.instances import FIXTURE, boot_of, environment_of

pytestmark = pytest.mark.anyio

SERVER = shlex.join([sys.executable, str(FIXTURE / "server.py")])


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def target(
    tmp_path: Path, command: str = SERVER, env: Mapping[str, str] | None = None, **options: Any
) -> ProcessTarget:
    named = {"DATA": str(tmp_path), **(env or {})}
    options = {"port": free_port(), "ready_timeout_s": 20, "stop_grace_s": 5, **options}
    return ProcessTarget(command, env=named, **options)


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


async def test_a_command_is_started_answers_and_is_killed_at_the_end(tmp_path: Path) -> None:
    tested = target(tmp_path)
    async with tested.started() as instance:
        boots, death = await boot_of(instance), await instance.autopsy()

    assert (boots, death) == (1, "")
    assert tested.facts().kind == "process"
    assert not tested.is_shared


async def test_only_the_named_environment_reaches_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INPUT_TOKEN", "the gate's own")
    async with target(tmp_path, env={"ONLY": "this"}, port=(port := free_port())).started() as one:
        environment = await environment_of(one)

    assert {"PATH", "HOME", "PORT", "DATA", "ONLY"} >= set(environment) - {"LC_CTYPE"}
    assert (environment["ONLY"], environment["PORT"]) == ("this", str(port))
    assert environment["HOME"] != os.environ.get("HOME")
    assert not os.path.exists(environment["HOME"])  # noqa: ASYNC240


async def test_a_restart_is_a_new_process_over_the_same_data(tmp_path: Path) -> None:
    async with target(tmp_path).started() as instance:
        receipt = await instance.restart()
        boots = await boot_of(instance)

    assert boots == 2
    assert receipt.provider == "process"
    assert receipt.is_new_process
    assert receipt.old_pid != receipt.new_pid
    assert (receipt.exit_code, receipt.signal, receipt.killed) == (0, "SIGTERM", False)
    assert receipt.new_pid is not None
    assert not is_alive(receipt.new_pid)


async def test_a_process_that_ignores_sigterm_is_killed_when_its_grace_is_over(
    tmp_path: Path,
) -> None:
    stubborn = target(tmp_path, env={"BEHAVIOUR": "stubborn"}, stop_grace_s=0.3)
    async with stubborn.started() as instance:
        receipt = await instance.restart()

    assert (receipt.exit_code, receipt.killed) == (128 + signal.SIGKILL, True)


async def test_a_crash_is_a_kill_without_a_warning(tmp_path: Path) -> None:
    async with target(tmp_path).started() as instance:
        receipt = await instance.crash()
        boots = await boot_of(instance)

    assert (receipt.signal, receipt.exit_code, boots) == ("SIGKILL", 128 + signal.SIGKILL, 2)


async def test_a_taken_port_is_told_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(TargetError, match=rf"port {port} is taken") as caught:
            async with target(tmp_path, port=port).started():
                pass

    assert caught.value.hint
    assert not (tmp_path / "boots").exists()


async def test_an_exit_at_start_is_told_with_code_and_log(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        async with target(tmp_path, env={"BEHAVIOUR": "exits"}).started():
            pass

    assert "died at its start: it exited with code 3" in caught.value.message
    assert "  | no database here" in caught.value.message


async def test_what_does_not_come_back_is_told_with_its_log(tmp_path: Path) -> None:
    async with target(tmp_path, env={"BEHAVIOUR": "once"}).started() as instance:
        with pytest.raises(TargetError, match="died after its restart") as caught:
            await instance.restart()

    assert "  | no database here" in caught.value.message


@pytest.mark.parametrize("behaviour", ["unhealthy", "deaf"])
async def test_what_never_becomes_healthy_is_told_in_time(tmp_path: Path, behaviour: str) -> None:
    tested = target(tmp_path, env={"BEHAVIOUR": behaviour}, ready_timeout_s=1.0)
    began = time.monotonic()
    with pytest.raises(TargetError, match="within 1 s") as caught:
        async with tested.started():
            pass

    assert "GET /health" in caught.value.message
    assert "  | start number 1" in caught.value.message
    assert time.monotonic() - began < 10


async def test_a_death_in_the_middle_has_an_autopsy(tmp_path: Path) -> None:
    port = free_port()
    async with target(tmp_path, port=port).started() as instance:
        with suppress(anyio.EndOfStream):
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                await stream.send(b"GET /die HTTP/1.0\r\n\r\n")
                await stream.receive()
        death = await instance.autopsy()

    assert death.startswith("it exited with code 7")
    assert "  | the end is near" in death


async def test_the_whole_group_is_killed_at_the_end(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, {str(FIXTURE / 'server.py')!r}])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "child.wait()\n"
    )
    async with target(tmp_path, shlex.join([sys.executable, str(script)])).started():
        pid = int((tmp_path / "pid").read_text())
        assert is_alive(pid)

    with anyio.move_on_after(3):
        while is_alive(pid) and not is_zombie(pid):
            await anyio.lowlevel.checkpoint()
    assert not is_alive(pid) or is_zombie(pid)


def is_zombie(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False


async def test_a_start_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    port = free_port()
    tested = target(tmp_path, env={"BEHAVIOUR": "unhealthy"}, port=port)
    with anyio.move_on_after(1.0) as scope:
        async with tested.started():
            pass

    assert scope.cancelled_caught
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)


async def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="'no-such-program' cannot be started"):
        async with target(tmp_path, "no-such-program --flag").started():
            pass


async def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    script = "import sys; print(sys.argv[1:], flush=True); sys.exit(5)"
    command = f"{shlex.join([sys.executable, '-c', script])} $HOME ; | 'one word'"

    with pytest.raises(TargetError) as caught:
        async with target(tmp_path, command).started():
            pass

    assert "['$HOME', ';', '|', 'one word']" in caught.value.message


@pytest.mark.parametrize("command", ["", "  ", "echo 'unfinished"])
def test_a_command_that_cannot_be_split_is_a_usage_error(command: str) -> None:
    with pytest.raises(UsageError):
        ProcessTarget(command, 8080)
