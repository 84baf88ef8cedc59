"""An ASGI application in this process is spoken to as any service is, between start and end."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import anyio
import pytest

from memtru_ci.errors import NoAnswer, ProviderError, TargetError
from memtru_ci.services.contract import connect_app
from tests.unit.raw_service import KeptExchanges

pytestmark = pytest.mark.anyio

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]


class App:
    """Writes down its life, and answers every write with the id `m1`."""

    def __init__(self, *, starts: bool = True, ends: bool = True) -> None:
        self.life: list[str] = []
        self._starts = starts
        self._ends = ends

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            self.life.append(f"{scope['method']} {scope['raw_path'].decode()}")
            await self._answer(send)

    async def _live(self, receive: Receive, send: Send) -> None:
        self.life.append((await receive())["type"])
        if not self._starts:
            await send({"type": "lifespan.startup.failed", "message": "no\ndisk"})
            return
        await send({"type": "lifespan.startup.complete"})
        self.life.append((await receive())["type"])
        if not self._ends:
            await anyio.sleep_forever()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 201, "headers": []})
        await send({"type": "http.response.body", "body": b'{"id": "m1"}'})


class Raising(App):
    async def _answer(self, send: Send) -> None:
        raise RuntimeError("broken")


class Stuck(App):
    async def _answer(self, send: Send) -> None:
        await anyio.sleep_forever()


async def _no_lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    raise RuntimeError("database\nis locked")


async def test_an_application_starts_serves_and_ends() -> None:
    app = App()
    async with anyio.create_task_group() as tasks:
        connection = await connect_app(app, tasks, deadline_s=1)
        answer = await connection.service(KeptExchanges()).update("ns", "a/b", "a thing")
        await connection.aclose()

    assert answer.value == "m1"
    assert app.life == ["lifespan.startup", "PUT /memories/a%2Fb", "lifespan.shutdown"]


async def test_an_application_can_be_ended_and_started_again_from_another_task() -> None:
    app = App()

    async def restart() -> None:
        await connection.aclose()
        again = await connect_app(app, tasks, deadline_s=1)
        await again.aclose()

    async with anyio.create_task_group() as tasks:
        connection = await connect_app(app, tasks, deadline_s=1)
        async with anyio.create_task_group() as others:
            others.start_soon(restart)

    assert app.life == ["lifespan.startup", "lifespan.shutdown"] * 2


@pytest.mark.parametrize(
    ("app", "why"),
    [
        (App(starts=False), r"did not start: no\\u000adisk"),
        (_no_lifespan, r"did not start: RuntimeError: database\\u000ais locked"),
    ],
)
async def test_an_application_that_fails_to_start_is_a_target_error(app: App, why: str) -> None:
    async with anyio.create_task_group() as tasks:
        with pytest.raises(TargetError, match=why):
            await connect_app(app, tasks, deadline_s=1)


async def test_an_application_that_does_not_end_is_ended() -> None:
    async with anyio.create_task_group() as tasks:
        connection = await connect_app(App(ends=False), tasks, deadline_s=0.1)

        with pytest.raises(TargetError, match=r"did not shut down: it took longer than 0\.1 s"):
            await connection.aclose()


async def test_an_exception_in_the_application_is_an_error_of_the_provider() -> None:
    async with anyio.create_task_group() as tasks:
        connection = await connect_app(Raising(), tasks, deadline_s=1)

        with pytest.raises(ProviderError):
            await connection.service(KeptExchanges()).write("ns", "a thing")
        await connection.aclose()


async def test_an_application_that_does_not_answer_has_the_deadline_of_any_service() -> None:
    async with anyio.create_task_group() as tasks:
        connection = await connect_app(Stuck(), tasks, deadline_s=0.1)

        with pytest.raises(NoAnswer):
            await connection.service(KeptExchanges()).write("ns", "a thing")
        await connection.aclose()
