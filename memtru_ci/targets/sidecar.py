"""A sidecar of an instance: started before the target, waited for, and examined when it dies."""

import re

from anyio import current_time, sleep

from memtru_ci.containers import DEFAULT_CAPABILITIES, DOCKER_DEFAULT, Container, State
from memtru_ci.domain.legible import legible
from memtru_ci.errors import TargetError
from memtru_ci.targets.death import exit_in_words, shown, told
from memtru_ci.targets.sidecars import SidecarOptions

LOG_LINES = 20
LOOK_S = 0.1
MOMENT_S = 0.5
"""How long one without a health check has to run before it counts as up."""

DENIED = re.compile(
    r"operation not permitted|permission denied|chown|set[gu]id|setgroups|setpriv|gosu|su-exec",
    re.IGNORECASE,
)
"""What a program says that misses a capability."""


class Sidecar:
    """A started sidecar. Every method raises `EngineError` where the engine refuses."""

    def __init__(self, options: SidecarOptions, container: Container) -> None:
        self.options = options
        self.container = container

    @property
    def name(self) -> str:
        return self.options.name

    async def start(self, timeout_s: float) -> None:
        """Start it and wait until it is healthy; without a check, until it runs for a moment.

        Raises `TargetError` where it dies, is unhealthy, or is not healthy in time.
        """
        await self.container.start()
        began = current_time()
        while current_time() - began < timeout_s:
            state = await self.container.state()
            if state is None or not state.running:
                raise await self._dead()
            if state.health == "unhealthy":
                raise await self._unhealthy_or_dead()
            if state.health == "healthy" or (
                not state.health and current_time() - began >= MOMENT_S
            ):
                return
            await sleep(LOOK_S)
        raise await self._unhealthy(f"was not healthy within {timeout_s:g} s")

    async def death(self) -> str:
        """How it died, and what to try; empty while it lives, paused or not."""
        state = await self.container.state()
        if state is None:
            return "its container was removed by somebody else."
        if state.running:
            return ""
        log = await self.container.log_tail(LOG_LINES)
        how = exit_in_words(state.exit_code, oom_killed=state.oom_killed)
        return told(how, log) + self._advice(log)

    async def obituary(self) -> str:
        """Its death as a sentence of its own; empty while it lives."""
        death = await self.death()
        return f"{self._called} died: {death}" if death else ""

    async def condition(self) -> str:
        """Its state and its last log lines, for a message about somebody else."""
        if obituary := await self.obituary():
            return obituary
        state = await self.container.state()
        log = await self.container.log_tail(LOG_LINES)
        return f"{self._called} runs, {health_in_words(state)}{shown(log)}{self._advice(log)}"

    @property
    def _called(self) -> str:
        return f"The sidecar {self.name} ({self.options.image})"

    @property
    def _hint(self) -> str:
        return f"See `services.{self.name}` in the settings."

    async def _dead(self) -> TargetError:
        death = await self.death()
        return TargetError(f"{self._called} died at its start: {death}", hint=self._hint)

    async def _unhealthy_or_dead(self) -> TargetError:
        """Docker calls it unhealthy, too, a moment before it notices that it is dead."""
        await sleep(MOMENT_S)
        return await self._dead() if await self.death() else await self._unhealthy("is unhealthy")

    async def _unhealthy(self, what: str) -> TargetError:
        state = await self.container.state()
        log = await self.container.log_tail(LOG_LINES)
        said = legible(state.health_output) if state else ""
        check = f"its health check said: {said or 'nothing'}"
        return TargetError(
            f"{self._called} {what}; {check}{shown(log)}{self._advice(log)}",
            hint=f"Check the --health-* options of `services.{self.name}`.",
        )

    def _advice(self, log: list[str]) -> str:
        """What to try where its log tells of a missing capability."""
        if set(self.options.capabilities) == DEFAULT_CAPABILITIES or not DENIED.search(
            "\n".join(log)
        ):
            return ""
        return (
            f"\nIt seems to miss a capability: all are dropped. Try "
            f"`capabilities: {DOCKER_DEFAULT}` in `services.{self.name}`."
        )


def health_in_words(state: State | None) -> str:
    """What its health check came to."""
    if state is None or not state.health:
        return "without a health check"
    return f"its health check says {state.health}"
