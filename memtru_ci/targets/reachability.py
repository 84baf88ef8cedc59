"""Why a container that runs is not healthy: unreachable, not listening, or not answering 200."""

import socket
from collections.abc import Sequence

from anyio import to_thread

from memtru_ci.errors import TargetError
from memtru_ci.targets.death import shown
from memtru_ci.targets.options import ContainerOptions

CONNECT_S = 2.0
CONNECTED, REFUSED = "something listens", "connection refused"

UNREACHABLE = (
    "Run the gate on the machine of the engine, or in a container that can join networks. Or run "
    "the service yourself, and name it as `url:http://HOST:PORT` or `container:NAME`."
)


async def why_not_healthy(
    name: str,
    addresses: Sequence[str],
    approach: str,
    options: ContainerOptions,
    log: Sequence[str],
) -> TargetError:
    """The error for a target that lives and is not healthy by its deadline."""
    tried = {address: await answer_of(address, options.port) for address in addresses}
    told = ", ".join(f"{address}:{options.port} ({what})" for address, what in tried.items())
    late = f"{name} runs, but was not healthy within {options.ready_timeout_s:g} s"
    if CONNECTED in tried.values():
        return TargetError(
            f"{late}: GET {options.health_path} did not answer 200{shown(log)}",
            hint="Are health path and ready timeout right?",
        )
    if REFUSED in tried.values():
        return TargetError(
            f"{late}: nothing listens at {told}{shown(log)}",
            hint="The service must listen on 0.0.0.0, at the port that the target's options name.",
        )
    return TargetError(
        f"{late}: the gate cannot reach it. Tried: {told or 'no address'}, by {approach}.",
        hint=UNREACHABLE,
    )


async def answer_of(address: str, port: int) -> str:
    """What a connection to the port comes to."""
    return await to_thread.run_sync(answer_here, address, port)


def answer_here(address: str, port: int) -> str:
    try:
        socket.create_connection((address, port), timeout=CONNECT_S).close()
    except ConnectionRefusedError:
        return REFUSED
    except TimeoutError:
        return "no answer"
    except OSError as error:
        return error.strerror or str(error)
    return CONNECTED
