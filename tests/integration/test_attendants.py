"""What the gate runs beside a container is reached by it, and only held for it."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import pytest

from memtru_ci.containers import Engine
from memtru_ci.errors import TargetError
from memtru_ci.targets.attendants import AttendantOptions, HoldOptions, ModelOptions
from tests.instances import environment_of
from tests.sidecars import ALLOWED, TALK, remains, said, sidecar_of, target

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]

MODEL = ModelOptions({"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "any"}, dimensions=8)
EMBED = """
import json, os, urllib.request
url = os.environ["OPENAI_BASE_URL"] + "/embeddings"
body = json.dumps({"model": "m", "input": "tea"}).encode()
asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
print(json.dumps(json.load(urllib.request.urlopen(asked, timeout=10))))
"""
BEFORE_REDIS = AttendantOptions(hold=HoldOptions("store", "redis", 6379))


async def test_a_container_gets_answers_of_the_model_stand_in(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    tested = target(image, engine, attendants=AttendantOptions(model=MODEL))
    async with tested.started() as instance:
        executed = await instance.container.execute(["python3", "-c", EMBED], 20)
        environment = await environment_of(instance)
        model = instance.attendants.model

    assert executed.exit_code == 0, executed.output
    assert len(json.loads(executed.output)["data"][0]["embedding"]) == 8
    assert model is not None
    assert environment["OPENAI_BASE_URL"] == f"{model.url}/v1"
    assert environment["OPENAI_API_KEY"] == "any"
    assert remains(client, engine.run_id) == []


async def test_the_proxy_is_before_the_store_for_the_target_alone(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    command = ["redis-cli", "-h", "redis", "ping"]
    async with target(image, engine, ALLOWED, attendants=BEFORE_REDIS).started() as instance:
        through = await said(instance, "redis", 6379, r"SET a 1\r\n")
        proxy = instance.attendants.proxy
        assert proxy is not None
        freeze = proxy.freeze(b"marker-1")
        direct = await sidecar_of(instance).execute(command, 10)
        async with anyio.create_task_group() as tasks:

            async def held() -> None:
                nonlocal through
                through = await said(instance, "redis", 6379, r"SET b marker-1\r\n")

            tasks.start_soon(held)
            with anyio.fail_after(10):
                await freeze.met.wait()
            meanwhile = await said(instance, "redis", 6379, r"GET b\r\n")
            freeze.lift()
        after = await said(instance, "redis", 6379, r"GET b\r\n")

    assert direct.output == "PONG\n"
    assert meanwhile == "$-1"
    assert through == "+OK"
    assert after.split() == ["$8", "marker-1"]
    assert remains(client, engine.run_id) == []


async def test_the_proxy_goes_on_after_a_restart_of_the_target(image: str, engine: Engine) -> None:
    async with target(image, engine, ALLOWED, attendants=BEFORE_REDIS).started() as instance:
        await instance.restart()

        assert await said(instance, "redis", 6379, r"PING\r\n") == "+PONG"


async def test_nobody_on_another_network_gets_to_the_store_by_name(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, ALLOWED).started():
        other = target(image, engine)
        async with other.started() as elsewhere:
            command = ["python3", "-c", TALK, "redis", "6379", "PING"]
            executed = await elsewhere.container.execute(command, 60)

    assert executed.exit_code == 1
    assert "no way" in executed.output


async def test_a_port_that_is_taken_is_one_clear_error(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    taken = AttendantOptions(model=replace(MODEL, port=6379), hold=BEFORE_REDIS.hold)

    with pytest.raises(TargetError, match="6379 for the proxy before the sidecar redis failed"):
        async with target(image, engine, ALLOWED, attendants=taken).started():
            pass

    assert remains(client, engine.run_id) == []
