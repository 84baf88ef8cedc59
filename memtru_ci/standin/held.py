"""An answer that is held back: who asked for it, and how it ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

from anyio import Event, move_on_after
from starlette.types import Receive

from memtru_ci.domain.marker import folded
from memtru_ci.standin.faults import ApiFault
from memtru_ci.standin.log import LoggedRequest
from memtru_ci.standin.parking import Ending, park

MOST_SIGHTINGS = 1_000


@dataclass(frozen=True)
class Sighting:
    """A request that showed the secret; holds nothing of its text."""

    number: int
    path: str
    at: float
    """Seconds on the control side's clock: when the request began."""
    body_hash: str
    is_retry: bool


@dataclass(frozen=True)
class _Decision:
    """What becomes of held answers. Without a status they are what they would have been."""

    status: int | None = None
    is_lasting: bool = False


@dataclass
class Held:
    """Answers to requests that show a secret. Leaving it as a context manager releases them.

    It goes on counting once it has ended: a client may come back with a retry.
    """

    secret: str = field(repr=False)
    longest_s: float
    parked: int = field(default=0, init=False)
    """Answers that wait right now."""
    lapsed: int = field(default=0, init=False)
    """Answers that waited for the longest time and then were given by themselves."""
    requests: int = field(default=0, init=False)
    """Requests that showed the secret."""
    retries: int = field(default=0, init=False)
    """How many of those repeated an earlier one."""

    def __post_init__(self) -> None:
        self._folded = folded(self.secret)
        self._seen = Event()
        self._decided = Event()
        self._decision: _Decision | None = None
        self._status_at_last: int | None = None
        self._sightings: list[Sighting] = []

    @property
    def sightings(self) -> Sequence[Sighting]:
        """The first requests that showed the secret, at most `MOST_SIGHTINGS`."""
        return tuple(self._sightings)

    @property
    def is_holding(self) -> bool:
        """Whether the next request that shows the secret waits, or fails as the last one did."""
        return self._decision is None or self._decision.is_lasting

    async def seen(self, deadline_s: float) -> Sighting | None:
        """The first request that shows the secret, waited for up to a deadline in seconds."""
        with move_on_after(deadline_s):
            await self._seen.wait()
        return self._sightings[0] if self._sightings else None

    def release(self) -> None:
        """Give all held answers, and hold no more."""
        self._decide(_Decision())

    def fail(self, status: int, *, lasting: bool = False) -> None:
        """Answer what is held with an error status; with `lasting`, also what comes later."""
        self._decide(_Decision(status, lasting))

    def time_out(self) -> None:
        """Never give the answers: a client that waits for the longest time gets a 504.

        Requests that come later, such as a retry, are answered.
        """
        if self._decision is None:
            self._status_at_last = 504
            self._decision = _Decision()

    def __enter__(self) -> "Held":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def notice(self, request: LoggedRequest, contents: Sequence[str]) -> bool:
        """Whether the request shows the secret in its folded texts; it is counted if so."""
        if not any(self._folded in one for one in contents):
            return False
        self.requests += 1
        self.retries += request.is_retry
        if len(self._sightings) < MOST_SIGHTINGS:
            self._sightings.append(
                Sighting(
                    request.number,
                    request.path,
                    request.started_at,
                    request.body_hash,
                    request.is_retry,
                )
            )
        self._seen.set()
        return True

    async def wait(self, receive: Receive) -> bool:
        """Hold the answer; False where its client left. Raises `ApiFault` where it must fail."""
        self.parked += 1
        try:
            ending = await park(self._decided, receive, self.longest_s)
        finally:
            self.parked -= 1
        if ending is Ending.LEFT:
            return False
        status = self._decision.status if self._decision else None
        if ending is Ending.LAPSED:
            status = self._status_at_last
            self.lapsed += status is None
        if status is not None:
            raise ApiFault(status, "The stand-in was told to fail this request.")
        return True

    def _decide(self, decision: _Decision) -> None:
        if self._decided.is_set():
            if self.is_holding:
                self._decision = decision
            return
        # Answers that were never to come do not come after all because the hold is over.
        self._decision = _Decision(decision.status or self._status_at_last, decision.is_lasting)
        self._decided.set()
