"""Holds a write by keeping back the last bytes of its request: level `transport`."""

from memtru_ci.domain.holding import WITHHELD_BODY
from memtru_ci.drivers.mechanism import Facts
from memtru_ci.sending import KEPT_BACK, Sending, Withholding


class WithheldBody:
    """Implements `Mechanism` with nothing but the service's own HTTP endpoint.

    Whether the service has begun with the request nobody can see: many servers read a body to its
    end before they begin.
    """

    name = WITHHELD_BODY
    hint = "its request body has to carry the content as it is; choose another `hold.by`"

    async def grip(self, secret: str) -> "_Withheld":
        return _Withheld(Withholding(secret))


class _Withheld:
    def __init__(self, withholding: Withholding) -> None:
        self.manner = Sending(withholding=withholding)
        self._withholding = withholding

    async def arrived(self) -> Facts:
        await self._withholding.reached.wait()
        return {"bytes_withheld": KEPT_BACK}

    async def release(self) -> Facts:
        is_first = not self._withholding.released.is_set()
        self._withholding.released.set()
        return {"released": int(is_first and self._withholding.reached.is_set())}
