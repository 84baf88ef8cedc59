"""Commands in a container: exit code, bounded output, and a deadline."""

from typing import TYPE_CHECKING

import anyio
import pytest

from memtru_ci.containers import Engine
from memtru_ci.errors import EngineError
from tests.sidecars import (
    IDLE,
    remains,
    sidecar_of,
    target,
)

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]


async def test_a_command_is_executed_with_its_exit_code_and_bounded_output(
    image: str, engine: Engine
) -> None:
    async with target(image, engine).started() as instance:
        run = instance.container.execute
        small = await run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10)
        large = await run(["sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x"], 20)
        missing = await run(["no-such-program"], 10)

    assert small.exit_code == 3
    assert sorted(small.output.split()) == ["err", "out"]
    assert (len(large.output), large.is_cut, large.exit_code) == (65536, True, 0)
    assert missing.exit_code in (126, 127)


async def test_a_command_is_given_up_at_its_deadline(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine).started() as instance:
        began = anyio.current_time()
        with pytest.raises(EngineError, match=r"'sleep', '60'.* did not end within 1 s"):
            await instance.container.execute(["sleep", "60"], 1)
        took = anyio.current_time() - began
        after = await instance.container.execute(["echo", "well"], 10)

    assert 0.9 < took < 5
    assert after.output == "well\n"
    assert remains(client, engine.run_id) == []


async def test_a_command_in_a_container_that_is_dead_is_one_clear_error(
    image: str, engine: Engine
) -> None:
    async with target(image, engine, IDLE).started() as instance:
        idle = sidecar_of(instance, "idle")
        await idle.kill()
        with pytest.raises(EngineError, match="could not run"):
            await idle.execute(["true"], 5)
