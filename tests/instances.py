"""How tests speak to the target of `fixtures/target`, and look into it."""

import time
from pathlib import Path

from memtru_ci.domain.evidence import Exchange
from memtru_ci.ports import Instance

FIXTURE = Path(__file__).parent / "fixtures" / "target"


class KeptLog:
    """An exchange log that keeps what it is given."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._steps = 0
        self._began = time.monotonic()

    def next_step(self) -> int:
        self._steps += 1
        return self._steps

    def now_ms(self) -> float:
        return (time.monotonic() - self._began) * 1000

    def keep(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


async def boot_of(instance: Instance) -> int:
    """How often the target has been started over its data, asked through the contract."""
    info = (await instance.service(KeptLog()).info()).value
    return int(info.version)


async def environment_of(instance: Instance) -> dict[str, str]:
    """The whole environment of the target's process."""
    info = (await instance.service(KeptLog()).info()).value
    return dict(one.split("=", 1) for one in info.capabilities if "=" in one)
