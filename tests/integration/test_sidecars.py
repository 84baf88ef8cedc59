"""Sidecars on a real engine: isolated, reached by name, and removed."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memtru_ci.containers import DEFAULT_CAPABILITIES, Engine, HealthCheck
from memtru_ci.targets.sidecars import SidecarOptions
from tests.sidecars import (
    ALL_OF_DOCKERS,
    ALLOWED,
    IDLE,
    TALK,
    inspected,
    remains,
    said,
    sidecar_of,
    target,
)

if TYPE_CHECKING:
    from docker import DockerClient

pytestmark = [pytest.mark.integration, pytest.mark.anyio]


async def test_a_database_that_changes_its_user_works_with_dockers_default_capabilities(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    tested = target(image, engine, ALLOWED)
    async with tested.started() as instance:
        answer = await said(instance, "redis", 6379, r"PING\r\n")
        facts = inspected(client, sidecar_of(instance))
        status = await sidecar_of(instance).execute(["cat", "/proc/1/status"], 10)

    assert answer == "+PONG"
    assert facts["HostConfig"]["CapDrop"] == ["ALL"]
    assert sorted(facts["HostConfig"]["CapAdd"]) == sorted(DEFAULT_CAPABILITIES)
    lines = dict(line.split(":\t", 1) for line in status.output.splitlines() if ":\t" in line)
    assert (lines["CapBnd"], lines["NoNewPrivs"]) == ("00000000a80425fb", "1")
    assert facts["State"]["Health"]["Status"] == "healthy"
    assert tested.facts().notes == (
        "sidecar redis: image redis:8",
        "sidecar redis: capabilities: docker-default, which is what Docker gives every container",
    )
    assert remains(client, engine.run_id) == []
    assert engine.left_behind == []


async def test_a_sidecar_is_as_isolated_as_the_target(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, replace(IDLE, env={"ONLY": "this"})).started() as instance:
        idle, own = sidecar_of(instance, "idle"), instance.container
        facts, of_target = inspected(client, idle), inspected(client, own)
        status = await idle.execute(["cat", "/proc/1/status"], 10)

    host, same = facts["HostConfig"], of_target["HostConfig"]
    for key in ("CapDrop", "SecurityOpt", "PidsLimit", "Memory", "MemorySwap", "NanoCpus"):
        assert host[key] == same[key]
    for key in ("LogConfig", "RestartPolicy", "IpcMode", "PidMode", "Privileged", "OomScoreAdj"):
        assert host[key] == same[key]
    assert (host["CapDrop"], host["CapAdd"] or []) == (["ALL"], [])
    assert "CapBnd:\t0000000000000000" in status.output
    assert not host["PortBindings"]
    assert not host["Binds"]
    assert not any((facts["NetworkSettings"]["Ports"] or {}).values())
    assert list(facts["NetworkSettings"]["Networks"]) == [f"{own.name}"]
    aliases = facts["NetworkSettings"]["Networks"][own.name]["Aliases"]
    assert [one for one in aliases if not idle.id.startswith(one)] == ["idle"]
    assert "ONLY=this" in facts["Config"]["Env"]


async def test_nobody_outside_of_the_network_reaches_a_sidecar(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, ALLOWED).started() as instance:
        redis = sidecar_of(instance)
        address = await redis.address_on(instance.container.name)
        inside = await said(instance, address, 6379, r"PING\r\n")
        outside = client.containers.run(
            image, ["python3", "-c", TALK, address, "6379", "PING"], detach=True
        )
        try:
            status = outside.wait(timeout=30)["StatusCode"]
            log = outside.logs().decode()
        finally:
            outside.remove(force=True, v=True)

    assert inside == "+PONG"
    assert status == 1
    assert "no way" in log


async def test_a_restart_of_the_target_leaves_sidecars_and_their_volumes_as_they_are(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    async with target(image, engine, ALLOWED).started() as instance:
        redis = sidecar_of(instance)
        before = inspected(client, redis)["State"]["StartedAt"]
        assert await said(instance, "redis", 6379, r"SET kept yes\r\n") == "+OK"
        await instance.restart()
        after = inspected(client, redis)["State"]["StartedAt"]
        kept = await said(instance, "redis", 6379, r"GET kept\r\n")
        await redis.execute(["sh", "-c", "echo still > /data/there"], 10, user="999")
        await redis.stop(5)
        await redis.start()
        still = await redis.execute(["cat", "/data/there"], 10)
        mounts = {one["Destination"]: one["Name"] for one in inspected(client, redis)["Mounts"]}

    assert before == after
    assert kept.split() == ["$3", "yes"]
    assert still.output == "still\n"
    assert list(mounts) == ["/data"]
    assert mounts["/data"] not in {one["Name"] for one in client.api.volumes()["Volumes"] or ()}
    assert remains(client, engine.run_id) == []


async def test_sidecars_are_started_in_order_each_once_the_one_before_is_healthy(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    late = HealthCheck("test -e /tmp/up", interval_s=0.2, timeout_s=2, retries=50)
    first = replace(
        IDLE, name="first", command=["sh", "-c", "sleep 1; touch /tmp/up; sleep 600"], health=late
    )
    async with target(image, engine, first, replace(IDLE, name="second")).started() as instance:
        begun = [
            datetime.fromisoformat(inspected(client, one)["State"]["StartedAt"])
            for one in (
                sidecar_of(instance, "first"),
                sidecar_of(instance, "second"),
                instance.container,
            )
        ]

    assert begun == sorted(begun)
    assert (begun[1] - begun[0]).total_seconds() > 1


async def test_postgres_is_reached_and_removed(
    client: "DockerClient", image: str, engine: Engine
) -> None:
    postgres = SidecarOptions(
        "db",
        "postgres:17",
        env={"POSTGRES_PASSWORD": "only-here"},
        health=HealthCheck("pg_isready -h 127.0.0.1", interval_s=0.5, timeout_s=3, retries=80),
        volumes={"data": "/var/lib/postgresql/data"},
        capabilities=ALL_OF_DOCKERS,
    )
    async with target(image, engine, postgres).started() as instance:
        query = ["psql", "-U", "postgres", "-Atc", "select 6 * 7"]
        found = await sidecar_of(instance, "db").execute(query, 20, user="postgres")
        may_encrypt = await said(instance, "db", 5432, r"\x00\x00\x00\x08\x04\xd2\x16\x2f")

    assert may_encrypt[0] in "NS"
    assert (found.exit_code, found.output) == (0, "42\n")
    assert remains(client, engine.run_id) == []
