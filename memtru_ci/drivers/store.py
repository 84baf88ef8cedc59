"""Holds a write by freezing the connection on which it goes to the store: level `store`."""

from memtru_ci.domain.holding import STORE_PROXY
from memtru_ci.drivers.freeze import Freeze
from memtru_ci.drivers.mechanism import Facts
from memtru_ci.drivers.proxy import StoreProxy
from memtru_ci.sending import Sending


class StoreHold:
    """Implements `Mechanism` over a proxy between the service and its store."""

    name = STORE_PROXY
    hint = (
        "the connection to the store must go to the sidecar by its name and port, unencrypted, and "
        "carry the content as it is"
    )

    def __init__(self, proxy: StoreProxy) -> None:
        self._proxy = proxy

    async def grip(self, secret: str) -> "_Frozen":
        return _Frozen(self._proxy.freeze(secret.encode()))


class _Frozen:
    def __init__(self, freeze: Freeze) -> None:
        self.manner = Sending()
        self._freeze = freeze

    async def arrived(self) -> Facts:
        await self._freeze.met.wait()
        return {"connection": self._freeze.connection, "bytes": self._freeze.held_bytes}

    async def release(self) -> Facts:
        return {"released": self._freeze.lift(), "left": self._freeze.was_left}
