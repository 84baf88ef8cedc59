"""One container: what it does now, how it died, and the calls that stop and start it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memtru_ci.containers.calls import Calls
from memtru_ci.containers.execution import Executed, execute
from memtru_ci.containers.pipe import Opening, Pipe
from memtru_ci.errors import EngineError

if TYPE_CHECKING:
    from docker import DockerClient

LONGEST_LINE = 300
"""Characters of one log line that are kept."""

LOG_BYTES = 64 * 1024
MOST_LOG_BYTES = 16 * 1024 * 1024
"""How much of a log is kept, and how much is read to come to its end."""


@dataclass(frozen=True)
class State:
    """What the engine said of a container at one moment; times are RFC 3339."""

    running: bool
    started_at: str
    exit_code: int
    oom_killed: bool
    pid: int | None
    stop_signal: str = "SIGTERM"
    is_removed_at_exit: bool = False
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Its address on each network that it has one on."""
    paused: bool = False
    health: str = ""
    """`starting`, `healthy` or `unhealthy`; empty where it has no health check."""
    health_output: str = ""
    """What the last health check wrote."""


class Container:
    """A container by its id. Every method raises `EngineError` where the engine refuses."""

    def __init__(self, identity: str, name: str, calls: Calls) -> None:
        self.id = identity
        self.name = name
        self._calls = calls

    async def state(self) -> State | None:
        """Its state now; None where it does not exist any more."""
        return await self._calls.run(f"inspect the container {self.name}", self._state)

    async def start(self) -> None:
        await self._calls.run(
            f"start the container {self.name}", lambda client: client.api.start(self.id)
        )

    async def attach(self) -> Pipe:
        """Its standard input and output, from its next start on."""
        opening = Opening(self.id)
        try:
            what = f"attach to standard input and output of the container {self.name}"
            await self._calls.run(what, opening.open)
        except BaseException:
            opening.give_up()
            raise
        return opening.taken()

    async def stop(self, grace_s: float, *, abandon: bool = True) -> None:
        """Send the stop signal, and kill what still lives after `grace_s` seconds.

        With `abandon`, a cancelled caller goes on at once: its removal ends the stop, too.
        """
        grace = max(0, math.ceil(grace_s))
        await self._calls.run(
            f"stop the container {self.name}",
            lambda client: client.api.stop(self.id, timeout=grace),
            abandon=abandon,
        )

    async def kill(self) -> None:
        """End it at once by SIGKILL."""
        await self._calls.run(
            f"kill the container {self.name}", lambda client: client.api.kill(self.id, "SIGKILL")
        )

    async def pause(self) -> None:
        """Freeze all of its processes where they are."""
        await self._calls.run(
            f"pause the container {self.name}", lambda client: client.api.pause(self.id)
        )

    async def unpause(self) -> None:
        """Let its processes go on; nothing where they do already."""
        await self._calls.run(f"unpause the container {self.name}", self._unpause)

    async def execute(
        self, command: Sequence[str], deadline_s: float, user: str | None = None
    ) -> Executed:
        """Run a command in it, while it runs; whatever it exits with is no error.

        One that does not end by its deadline is an `EngineError`; it goes on in the container.
        """
        return await execute(self.id, self.name, command, deadline_s, user)

    async def address_on(self, network: str) -> str:
        """Its address on a network now; `EngineError` where it has none: it does not run."""
        state = await self.state()
        if state is None or not state.addresses.get(network):
            raise EngineError(f"The container {self.name} has no address on {network}.")
        return state.addresses[network]

    async def log_tail(self, lines: int, *, stdout: bool = True) -> list[str]:
        """The last log lines, each bounded; none where it does not exist any more.

        Without `stdout` they are those of standard error alone.
        """
        return await self._calls.run(
            f"read the log of the container {self.name}",
            lambda client: log_tail(client, self.id, lines, stdout=stdout),
        )

    def _unpause(self, client: "DockerClient") -> None:
        if client.api.inspect_container(self.id)["State"].get("Paused"):
            client.api.unpause(self.id)

    def _state(self, client: "DockerClient") -> State | None:
        from docker.errors import NotFound

        try:
            return state_of(client.api.inspect_container(self.id))
        except NotFound:
            return None


def log_tail(
    client: "DockerClient", identity: str, lines: int, *, stdout: bool = True
) -> list[str]:
    """None where the container is gone, or where its log goes where it cannot be read."""
    from docker.errors import APIError

    try:
        # A stream follows the log for ever, unless it is told not to.
        log = client.api.logs(
            identity, stdout=stdout, stderr=True, tail=lines, stream=True, follow=False
        )
        with closing(log):
            text = end_of(log).decode("utf-8", errors="replace")
    except APIError:
        return []
    return [line[:LONGEST_LINE].rstrip() for line in text.splitlines()][-lines:]


def end_of(pieces: Iterable[bytes]) -> bytes:
    """The end of what comes in pieces: one line of a log can be without bounds, and is cut off."""
    kept, read = b"", 0
    for piece in pieces:
        kept, read = (kept + piece)[-LOG_BYTES:], read + len(piece)
        if read > MOST_LOG_BYTES:
            break
    return kept


def state_of(facts: Mapping[str, Any]) -> State:
    """The state from what the engine's inspection gave."""
    state, settings = facts["State"], facts["NetworkSettings"]
    networks: Mapping[str, Any] = settings.get("Networks") or {}
    addresses = {name: str(one.get("IPAddress") or "") for name, one in networks.items()}
    return State(
        running=bool(state["Running"]) and not state.get("Restarting"),
        started_at=str(state["StartedAt"]),
        exit_code=int(state["ExitCode"]),
        oom_killed=bool(state.get("OOMKilled")),
        pid=state.get("Pid") or None,
        stop_signal=str(facts["Config"].get("StopSignal") or "SIGTERM"),
        is_removed_at_exit=bool(facts["HostConfig"].get("AutoRemove")),
        addresses={name: address for name, address in addresses.items() if address},
        paused=bool(state.get("Paused")),
        **health_of(state.get("Health") or {}),
    )


def health_of(health: Mapping[str, Any]) -> dict[str, str]:
    """What the last health check came to; Docker calls it `none` where there is none."""
    status = str(health.get("Status") or "")
    checks = health.get("Log") or [{}]
    output = " ".join(str(checks[-1].get("Output") or "").split())
    return {"health": "" if status == "none" else status, "health_output": output[:LONGEST_LINE]}
