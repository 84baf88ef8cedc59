"""What the gate runs beside a target: where it listens, and what the target is told of it."""

import shlex
import socket
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from memtru_ci.errors import InfrastructureError, TargetError
from memtru_ci.targets.attendants import (
    NOBODY,
    AttendantOptions,
    HoldOptions,
    ModelOptions,
    attending,
)
from memtru_ci.targets.process import ProcessTarget
from memtru_ci.targets.spawned import free_port
from memtru_ci.targets.url import UrlTarget
from tests.instances import FIXTURE, environment_of

pytestmark = pytest.mark.anyio

HERE = "127.0.0.1"
MODEL = ModelOptions({"BASE": "{url}/v1", "TWICE": "{url} {url}", "KEY": "{key}"}, dimensions=4)
STORE = HoldOptions("store", "redis", 6379)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def nowhere() -> tuple[str, int]:
    raise OSError("there is no store")


async def test_nothing_is_run_where_nothing_was_named() -> None:
    async with attending(NOBODY, "", nowhere) as attendants:
        assert (attendants.model, attendants.proxy) == (None, None)
        assert (dict(attendants.env), dict(attendants.extra_hosts)) == ({}, {})


async def test_the_model_stand_in_listens_and_its_address_is_filled_in() -> None:
    async with attending(AttendantOptions(model=MODEL), HERE) as attendants:
        assert attendants.model is not None
        url = attendants.model.url
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.get(f"{url}/v1/models")

    assert answer.status_code == 200
    assert attendants.env == {"BASE": f"{url}/v1", "TWICE": f"{url} {url}", "KEY": "{key}"}


async def test_it_is_gone_at_the_end() -> None:
    async with attending(AttendantOptions(model=MODEL), HERE) as attendants:
        assert attendants.model is not None
        port = int(attendants.model.url.rsplit(":", 1)[1])

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HERE, port), timeout=2)


async def test_a_proxy_has_the_port_of_its_store_and_leads_only_its_name_astray() -> None:
    port = free_port()
    listener = await anyio.create_tcp_listener(local_host=HERE)
    upstream = listener.extra(anyio.abc.SocketAttribute.local_port)

    async def store() -> tuple[str, int]:
        return HERE, int(upstream)

    async def echo(client: Any) -> None:
        async with client:
            await client.send(await client.receive())

    options = AttendantOptions(hold=HoldOptions("store", "redis", port))
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, echo)
        async with (
            attending(options, HERE, store) as attendants,
            await anyio.connect_tcp(HERE, port) as client,
        ):
            await client.send(b"through")
            came = await client.receive()
        tasks.cancel_scope.cancel()

    assert came == b"through"
    assert attendants.extra_hosts == {"redis": HERE}


async def test_other_ways_of_holding_need_no_proxy() -> None:
    options = AttendantOptions(hold=HoldOptions("worker", "redis", 0))
    async with attending(options, HERE, nowhere) as attendants:
        assert attendants.proxy is None
        assert attendants.options.hold.by == "worker"


@pytest.mark.parametrize(
    "options", [AttendantOptions(model=MODEL), AttendantOptions(hold=STORE)], ids=["model", "store"]
)
async def test_without_an_address_the_error_says_where_the_gate_has_to_run(
    options: AttendantOptions,
) -> None:
    with pytest.raises(TargetError, match="no address at which containers reach the gate"):
        async with attending(options, "", nowhere):
            pass


async def test_a_port_that_is_taken_is_one_clear_error() -> None:
    with socket.create_server((HERE, 0)) as taken:
        port = taken.getsockname()[1]
        options = AttendantOptions(model=ModelOptions(MODEL.env, port=port))
        with pytest.raises(InfrastructureError, match=f"{HERE}:{port}"):
            async with attending(options, HERE):
                pass


async def test_an_error_inside_leaves_as_it_is() -> None:
    options = AttendantOptions(model=MODEL, hold=HoldOptions("store", "redis", free_port()))
    with pytest.raises(ZeroDivisionError):
        async with attending(options, HERE, nowhere):
            raise ZeroDivisionError


async def test_a_process_is_told_where_the_model_is(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, str(FIXTURE / "server.py")])
    tested = ProcessTarget(
        command,
        free_port(),
        env={"DATA": str(tmp_path)},
        attendants=AttendantOptions(model=MODEL),
    )
    async with tested.started() as instance:
        environment = await environment_of(instance)
        model = instance.attendants.model

    assert model is not None
    assert environment["BASE"] == f"{model.url}/v1"


async def test_a_service_that_already_runs_finds_the_model_at_its_port(tmp_path: Path) -> None:
    port, model_port = free_port(), free_port()
    command = shlex.join([sys.executable, str(FIXTURE / "server.py")])
    running = ProcessTarget(command, port, env={"DATA": str(tmp_path)})
    options = AttendantOptions(model=ModelOptions(MODEL.env, port=model_port))
    async with (
        running.started(),
        UrlTarget(f"http://{HERE}:{port}", attendants=options).started() as instance,
    ):
        assert instance.attendants.model is not None
        assert instance.attendants.model.url == f"http://{HERE}:{model_port}"
