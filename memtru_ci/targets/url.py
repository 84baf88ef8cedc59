"""`url:URL`: a service that already runs; nothing is started, restarted or removed."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from anyio import CancelScope, move_on_after

from memtru_ci.domain.receipt import RestartReceipt
from memtru_ci.errors import TargetError
from memtru_ci.ports import ExchangeLog, HoldDriver, MemoryService, TargetFacts
from memtru_ci.services.dialect import CONTRACT, Dialect
from memtru_ci.targets.attendants import NOBODY, NONE, AttendantOptions, Attendants, attending
from memtru_ci.targets.link import Link
from memtru_ci.targets.provisions import Provisions
from memtru_ci.targets.readiness import Waiting, until_healthy

SETTLE_S = 5.0
MACHINE = "127.0.0.1"


class UrlTarget:
    """Implements `ports.Target`."""

    is_shared = True
    left_behind: Sequence[str] = ()

    def __init__(
        self,
        url: str,
        health_path: str = "/health",
        ready_timeout_s: float = 60.0,
        token: str | None = None,
        dialect: Dialect = CONTRACT,
        attendants: AttendantOptions = NOBODY,
    ) -> None:
        self._url = url.rstrip("/")
        self._attendants = attendants
        self._health_path = health_path
        self._ready_timeout_s = ready_timeout_s
        self._token = token
        self._dialect = dialect

    @property
    def name(self) -> str:
        return f"url:{self._url}"

    def facts(self) -> TargetFacts:
        return TargetFacts(self.name, "url", notes=("attached: the gate did not isolate it",))

    @asynccontextmanager
    async def started(self) -> AsyncIterator["UrlInstance"]:
        """Raises `TargetError` where it is not healthy in time."""
        async with attending(self._attendants, MACHINE) as attendants:
            instance = UrlInstance(
                self._url, self._health_path, self._token, self._dialect, attendants
            )
            try:
                await until_healthy(self._waiting(instance), "before it was met")
                yield instance
            finally:
                with CancelScope(shield=True), move_on_after(SETTLE_S):
                    await instance.close()

    async def aclose(self) -> None:
        """Nothing is left to be removed."""

    def _waiting(self, instance: "UrlInstance") -> Waiting:
        return Waiting(
            self.name, self._ready_timeout_s, instance.is_healthy, alive, self._complaint
        )

    async def _complaint(self) -> TargetError:
        return TargetError(
            f"{self._url}{self._health_path} did not answer 200 "
            f"within {self._ready_timeout_s:g} s.",
            hint="Is the service up, and reachable from where the gate runs?",
        )


class UrlInstance:
    """Implements `ports.Instance` for a service that is somebody else's."""

    can_restart = False

    def __init__(
        self,
        url: str,
        health_path: str,
        token: str | None,
        dialect: Dialect = CONTRACT,
        attendants: Attendants = NONE,
    ) -> None:
        self.attendants = attendants
        self._provisions = Provisions(attendants)
        self._url = url
        self._health_path = health_path
        self._link = Link(token, dialect)

    def service(self, log: ExchangeLog) -> MemoryService:
        return self._provisions.around(self._link.service(log), log)

    @property
    def can_hold(self) -> bool:
        return self._provisions.can_hold

    def hold(self, log: ExchangeLog) -> HoldDriver | None:
        return self._provisions.hold(log)

    async def restart(self) -> RestartReceipt:
        raise TargetError(f"{self._url} is not the gate's to restart.")

    async def autopsy(self) -> str:
        """All that can be seen from outside: whether it still answers."""
        if await self.is_healthy():
            return ""
        return f"{self._url}{self._health_path} does not answer 200 any more."

    async def is_healthy(self) -> bool:
        return await self._link.is_healthy(self._url, self._health_path)

    async def close(self) -> None:
        await self._link.drop()


async def alive() -> str:
    """Nobody can see a service die from outside before it was met."""
    return ""
