"""The reference service in this process, a Python adapter in its own, and a service by its URL."""

import sys
from pathlib import Path

import pytest

from memtru_ci.errors import TargetError, UsageError
from memtru_ci.ports import Instance
from memtru_ci.targets.embedded import EmbeddedTarget
from memtru_ci.targets.process import ProcessTarget
from memtru_ci.targets.python import PythonTarget
from memtru_ci.targets.spawned import free_port
from memtru_ci.targets.url import UrlTarget
from tests.instances import FIXTURE, KeptLog, boot_of

pytestmark = pytest.mark.anyio

ADAPTER = "memtru_ci.reference.service:ReferenceService"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def contents(instance: Instance) -> list[str]:
    found = await instance.service(KeptLog()).list("alice")
    return [one.content for one in found.value]


async def test_the_embedded_service_keeps_its_memories_over_a_restart() -> None:
    async with EmbeddedTarget().started() as instance:
        service = instance.service(KeptLog())
        await service.write("alice", "likes tea")
        receipt = await instance.restart()
        after = await service.list("alice")

    assert [one.content for one in after.value] == ["likes tea"]
    assert receipt.provider == "embedded"
    assert receipt.is_new_process
    assert (receipt.old_pid, receipt.new_pid, receipt.signal) == (None, None, None)


async def test_every_start_of_the_embedded_service_is_fresh() -> None:
    target = EmbeddedTarget()
    async with target.started() as instance:
        await instance.service(KeptLog()).write("alice", "likes tea")
    async with target.started() as instance:
        assert await contents(instance) == []


async def test_an_error_inside_an_embedded_service_leaves_as_it_is() -> None:
    with pytest.raises(LookupError, match="mine"):
        async with EmbeddedTarget().started():
            raise LookupError("mine")


def test_an_unknown_defect_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no_such_defect"):
        EmbeddedTarget("no_such_defect")


def test_an_embedded_target_is_named_with_its_defect() -> None:
    assert EmbeddedTarget().name == "embedded:"
    assert EmbeddedTarget("profile_only").name == "embedded:profile_only"


async def test_an_adapter_is_served_in_a_process_of_its_own_with_its_options(
    tmp_path: Path,
) -> None:
    target = PythonTarget(ADAPTER, {"data_dir": str(tmp_path)})
    async with target.started() as instance:
        await instance.service(KeptLog()).write("alice", "likes tea")
        receipt = await instance.restart()
        after = await contents(instance)

    assert after == ["likes tea"]
    assert receipt.old_pid != receipt.new_pid
    assert (receipt.provider, receipt.exit_code) == ("process", 0)


async def test_an_adapter_of_the_current_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_adapter.py").write_text(
        "from memtru_ci.reference.service import ReferenceService\n"
        "class Own(ReferenceService):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    target = PythonTarget("own_adapter:Own", {"data_dir": str(tmp_path)})
    async with target.started() as instance:
        assert await contents(instance) == []


async def test_what_an_adapter_declares_and_does_not_have_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_half.py").write_text(
        "from memtru_ci.adapters import Capability, MemoryAdapter\n"
        "class Half(MemoryAdapter):\n"
        "    def capabilities(self):\n        return [Capability.MEMORY_LIST]\n"
    )
    monkeypatch.chdir(tmp_path)
    target = PythonTarget("own_half:Half")
    async with target.started():
        assert "not offered: MEMORY_LIST: Half does not override list" in target.facts().notes


async def test_an_adapter_that_cannot_be_loaded_is_told_with_what_python_said() -> None:
    with pytest.raises(TargetError) as caught:
        async with PythonTarget("no_such_package.module:Adapter").started():
            pass

    assert "it exited with code 2" in caught.value.message
    assert "no_such_package" in caught.value.message


def test_options_that_are_no_plain_data_are_a_usage_error() -> None:
    with pytest.raises(UsageError, match="not plain data"):
        PythonTarget(ADAPTER, {"key": object()})


async def test_a_service_is_met_at_its_url_and_never_restarted(tmp_path: Path) -> None:
    port = free_port()
    command = f"{sys.executable} {FIXTURE / 'server.py'}"
    async with ProcessTarget(command, port, {"DATA": str(tmp_path)}).started() as process:
        target = UrlTarget(f"http://127.0.0.1:{port}/")
        async with target.started() as instance:
            boots, alive = await boot_of(instance), await instance.autopsy()
            with pytest.raises(TargetError, match="not the gate's to restart"):
                await instance.restart()
            await process.close()
            dead = await instance.autopsy()

    assert (boots, alive) == (1, "")
    assert "does not answer" in dead
    assert (target.name, target.is_shared) == (f"url:http://127.0.0.1:{port}", True)
    assert not instance.can_restart


async def test_a_url_that_nobody_serves_is_told_in_time() -> None:
    port = free_port()
    with pytest.raises(TargetError, match=f"http://127.0.0.1:{port}/health") as caught:
        async with UrlTarget(f"http://127.0.0.1:{port}", ready_timeout_s=0.3).started():
            pass

    assert caught.value.hint
