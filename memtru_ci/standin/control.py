"""The gate's side of the stand-in: hold an answer, release or fail it, and read what was asked."""

import time
from collections.abc import Callable, Iterable

from starlette.types import Receive

from memtru_ci.domain.marker import folded
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.held import Held
from memtru_ci.standin.log import LoggedRequest, RequestLog
from memtru_ci.standin.outage import Failure, Outage

LONGEST_HOLD_S = 60.0


class Control:
    """In the gate's own process and event loop; nothing of it can be reached over the network.

    `longest_hold_s` is how long an answer is held back at most, in seconds. `now` is the clock of
    all times that are told. Only for the event loop that serves the stand-in.
    """

    def __init__(
        self,
        *,
        longest_hold_s: float = LONGEST_HOLD_S,
        now: Callable[[], float] = time.monotonic,
        log: RequestLog | None = None,
    ) -> None:
        self.log = log or RequestLog()
        self.now = now
        self._longest_hold_s = longest_hold_s
        self._holds: list[Held] = []
        self._outages: list[Outage] = []
        self._is_closed = False

    def hold(self, secret: str) -> Held:
        """From now on the answer to each request that shows the secret is held back.

        It is looked for in every text of the body, as the HTTP contract compares contents. Raises
        `ValueError` where the secret has no letter or digit.
        """
        if not folded(secret):
            raise ValueError("a secret needs a letter or a digit")
        held = Held(secret, self._longest_hold_s)
        self._holds.append(held)
        return held

    def fail_all(self, failure: Failure) -> Outage:
        """From now on every request fails: with a status, or by no answer (`"timeout"`)."""
        outage = Outage(failure, self._longest_hold_s)
        self._outages.append(outage)
        return outage

    def close(self) -> None:
        """End all holds and outages; what still waits is answered with 503."""
        self._is_closed = True
        for held in self._holds:
            held.fail(503)
        for outage in self._outages:
            outage.end()

    @property
    def wants_texts(self) -> bool:
        """Whether the texts of a body need a look at all."""
        return bool(self._holds)

    async def admit(
        self, request: LoggedRequest, contents: Iterable[str], receive: Receive
    ) -> bool:
        """Wait until the request may be answered; False where its client has left.

        `contents` are the texts of its body, folded. Raises `ApiFault` where it has to fail.
        """
        if self._is_closed:
            raise ApiFault(503, "The stand-in is about to stop.")
        for outage in self._outages:
            if outage.is_on:
                return await outage.meet(receive)
        texts = list(contents)
        # Told to all first: two secrets in one request are both seen before either holds it.
        showing = [one for one in self._holds if one.notice(request, texts)]
        for held in showing:
            if held.is_holding:
                self.log.held(request)
                if not await held.wait(receive):
                    return False
        return True
