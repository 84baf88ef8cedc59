"""Sidecars that do not come up, die, or are paused: told clearly, and removed."""

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from memtru_ci.containers import Engine, HealthCheck, clean, labels
from memtru_ci.errors import TargetError
from tests.sidecars import (
    ALLOWED,
    IDLE,
    REDIS,
    remains,
    said,
    sidecar_of,
    target,
)

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]


async def test_without_them_the_error_says_what_to_try(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    with pytest.raises(TargetError) as caught:
        async with target(image, engine, REDIS).started():
            pass

    assert "The sidecar redis (redis:8) died at its start: it exited with code 1" in str(
        caught.value
    )
    assert "Operation not permitted" in caught.value.message
    assert "`capabilities: docker-default` in `services.redis`" in caught.value.message
    assert remains(client, engine.run_id) == []


async def test_a_paused_sidecar_is_removed_like_any_other(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, ALLOWED).started() as instance:
        redis = sidecar_of(instance)
        await redis.pause()
        paused = await redis.state()
        death = await instance.autopsy()
        await redis.unpause()
        await redis.unpause()
        resumed = await said(instance, "redis", 6379, r"PING\r\n")
        await redis.pause()

    assert (paused.paused, paused.running, death) == (True, True, "")
    assert resumed == "+PONG"
    assert remains(client, engine.run_id) == []
    assert engine.left_behind == []


async def test_clean_removes_a_paused_container(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    container = client.containers.create(image, labels=labels.marks(engine.run_id, 0))
    container.start()
    container.pause()

    removed = clean(engine.run_id)

    assert removed == [f"container {container.name}"]
    assert remains(client, engine.run_id) == []


async def test_a_sidecar_that_is_killed_is_named_with_its_end(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, ALLOWED).started() as instance:
        await sidecar_of(instance).kill()
        death = await instance.autopsy()
        with pytest.raises(TargetError) as caught:
            await instance.restart()

    assert death.startswith("The sidecar redis (redis:8) died: it exited with code 137 (SIGKILL)")
    assert "  | " in death
    assert "cannot go on" in caught.value.message
    assert "The sidecar redis (redis:8) died" in caught.value.message
    assert remains(client, engine.run_id) == []


async def test_a_sidecar_that_somebody_removes_is_told(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, IDLE).started() as instance:
        client.api.remove_container(sidecar_of(instance, "idle").id, force=True, v=True)

        assert "The sidecar idle (redis:8) died: its container was removed" in (
            await instance.autopsy()
        )


async def test_an_unhealthy_sidecar_is_told_with_what_its_check_said(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    check = HealthCheck("echo not today; exit 1", interval_s=0.1, timeout_s=2, retries=2)

    with pytest.raises(TargetError) as caught:
        async with target(image, engine, replace(IDLE, health=check)).started():
            pass

    assert "The sidecar idle (redis:8) is unhealthy" in caught.value.message
    assert "its health check said: not today" in caught.value.message
    assert "--health-*" in caught.value.hint
    assert remains(client, engine.run_id) == []


async def test_a_sidecar_that_takes_too_long_is_told(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    check = HealthCheck("false", interval_s=30, timeout_s=2, retries=50)

    with pytest.raises(TargetError, match=r"idle .* was not healthy within 2 s"):
        async with target(
            image, engine, replace(IDLE, health=check), ready_timeout_s=2.0
        ).started():
            pass

    assert remains(client, engine.run_id) == []


async def test_where_the_target_does_not_come_up_the_state_of_its_sidecars_is_shown(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    talking = replace(IDLE, command=["sh", "-c", "echo waiting for nobody; sleep 600"])

    with pytest.raises(TargetError) as caught:
        async with target(
            image, engine, talking, env={"BEHAVIOUR": "unhealthy"}, ready_timeout_s=2.0
        ).started():
            pass

    assert "GET /health did not answer 200" in caught.value.message
    assert "The sidecar idle (redis:8) runs, without a health check" in caught.value.message
    assert "  | waiting for nobody" in caught.value.message
    assert remains(client, engine.run_id) == []


async def test_where_both_die_both_are_told(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    brief = replace(IDLE, command=["sh", "-c", "sleep 1; echo gone; exit 4"])
    deaf = {"BEHAVIOUR": "deaf"}

    with pytest.raises(TargetError) as caught:
        async with target(image, engine, brief, env=deaf, ready_timeout_s=20.0).started():
            pass

    assert "The sidecar idle (redis:8) died: it exited with code 4" in caught.value.message
    assert "  | gone" in caught.value.message


@pytest.mark.parametrize("after_s", [0.05, 0.3, 0.8, 1.5])
async def test_a_start_that_is_cancelled_among_its_sidecars_leaves_nothing(
    client: "DockerClient", image: str, engine: Engine, after_s: float
) -> None:
    idle = replace(IDLE, volumes={"data": "/data"})
    with anyio.move_on_after(after_s):
        async with target(image, engine, idle, replace(idle, name="other")).started():
            await anyio.sleep_forever()

    assert remains(client, engine.run_id) == []
    assert engine.left_behind == []
