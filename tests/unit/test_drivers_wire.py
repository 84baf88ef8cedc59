"""A request whose last byte is kept back: sent, not whole, and whole once it is released."""

import anyio
from anyio.abc import SocketAttribute, SocketStream

from memtru_ci.domain.evidence import Exchange
from memtru_ci.domain.receipt import HookReceipt
from memtru_ci.drivers.hold import GateHold
from memtru_ci.drivers.wire import WithheldBody
from memtru_ci.ports import Answer
from memtru_ci.services.contract import connect
from memtru_ci.targets.background import background

SECRET = "abcdefghjkmnpqrstuvw"


class Log:
    """An exchange log."""

    def __init__(self) -> None:
        self.kept: list[Exchange] = []
        self._steps = 0

    def next_step(self) -> int:
        self._steps += 1
        return self._steps

    def now_ms(self) -> float:
        return anyio.current_time() * 1000

    def keep(self, exchange: Exchange) -> None:
        self.kept.append(exchange)


class Server:
    """Reads one request to its end, and answers it; keeps the bodies it was sent."""

    def __init__(self) -> None:
        self.received = bytearray()

    async def serve(self, client: SocketStream) -> None:
        async with client:
            while b"\r\n\r\n" not in self.received:
                self.received += await client.receive()
            head, _, body = bytes(self.received).partition(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            while len(body) < length:
                body += await client.receive()
                self.received[:] = head + b"\r\n\r\n" + body
            answer = b'{"id": "mem_1"}'
            await client.send(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                % len(answer)
                + answer
            )


async def held_update(server: Server, log: Log) -> tuple[Answer[HookReceipt], bytes, int, str]:
    """Hold an update on the wire; its receipt, what had come by then, what release and end say."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)
    async with listener, background() as tasks:
        tasks.start_soon(listener.serve, server.serve)
        service = connect(f"http://127.0.0.1:{port}").service(log)
        hold = GateHold(WithheldBody(), log, tasks)
        begun = await hold.begin(
            lambda: service.update("n", "mem_1", f"the phrase is {SECRET}."), SECRET, "n"
        )
        await anyio.sleep(0.05)
        so_far = bytes(server.received)
        released = await hold.release("n")
        done = await hold.outcome("n")
    return begun, so_far, released.value.processed or 0, done.value


def test_all_but_the_last_byte_is_sent_until_it_is_released() -> None:
    server, log = Server(), Log()
    begun, so_far, processed, answered = anyio.run(held_update, server, log)

    assert begun.value.executed
    assert SECRET.encode() in so_far
    assert not so_far.endswith(b"}")
    assert bytes(server.received).endswith(b"}")
    assert (processed, answered) == (1, "mem_1")
    assert b"transfer-encoding" not in so_far.lower()


def test_what_was_held_is_kept_as_evidence_in_the_order_in_which_it_began() -> None:
    log = Log()
    anyio.run(held_update, Server(), log)

    kept = sorted(log.kept, key=lambda one: one.step)
    assert [one.operation for one in kept] == ["hold", "update", "release_hold"]
    hold, update, release = kept
    assert hold.started_ms <= update.started_ms <= hold.ended_ms
    assert update.ended_ms >= release.started_ms
    assert hold.request == {"mechanism": "withheld_body"}


def test_only_the_request_that_carries_the_secret_is_kept_back() -> None:
    server, log = Server(), Log()

    async def go() -> str:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        port = listener.extra(SocketAttribute.local_port)
        async with listener, background() as tasks:
            tasks.start_soon(listener.serve, server.serve)
            service = connect(f"http://127.0.0.1:{port}").service(log)
            hold = GateHold(WithheldBody(), log, tasks)
            begun = await hold.begin(lambda: service.update("n", "mem_1", "neutral"), SECRET, "n")
            return begun.value.detail

    assert "was done without coming to" in anyio.run(go)
