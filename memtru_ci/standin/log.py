"""Keeps what the stand-in was asked, up to a bound, and tells repeated requests from new ones."""

import hashlib
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

MOST_REQUESTS = 5_000
MOST_BYTES = 64 * 1024 * 1024
"""Of all prompts that are kept."""

_MOST_HASHES = 20_000


@dataclass
class LoggedRequest:
    """One request that reached the stand-in."""

    number: int
    """1 for the first; in the order in which their bodies were complete."""
    method: str
    path: str
    started_at: float
    """Seconds on the clock of the control side: when its head had arrived."""
    body_hash: str
    """SHA-256 of the body, in hexadecimal; empty where no whole body came."""
    is_retry: bool
    """Whether an earlier attempt of the same request went without a whole answer.

    Said by the client's own count of retries, or by an equal body sent to the same path after one
    that was held, refused or left.
    """
    prompts: tuple[str, ...]
    """What a model is shown by it; empty for anything but chats and responses."""
    status: int | None = None
    """Of the answer; None while there is none, and for ever where the client left before."""

    @property
    def weight(self) -> int:
        """Bytes that its prompts take at most."""
        return sum(len(one) if one.isascii() else 4 * len(one) for one in self.prompts)


class RequestLog:
    """The last requests in order. Older ones are dropped beyond `most_requests` or `most_bytes`."""

    def __init__(self, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES) -> None:
        self._most_requests = most_requests
        self._most_bytes = most_bytes
        self._kept: deque[LoggedRequest] = deque()
        self._bytes = 0
        self._unanswered: OrderedDict[tuple[str, str], bool] = OrderedDict()
        self.count = 0
        """Requests so far, dropped ones included; also the number of the last one."""

    @property
    def dropped(self) -> int:
        """How many of the first requests are not kept any more."""
        return self.count - len(self._kept)

    def since(self, number: int) -> list[LoggedRequest]:
        """The requests that are kept and come after the one of this number."""
        return [one for one in self._kept if one.number > number]

    def is_whole_since(self, number: int) -> bool:
        """Whether `since(number)` leaves none out."""
        return number >= self.dropped

    def add(
        self,
        method: str,
        path: str,
        started_at: float,
        body: bytes | None,
        *,
        prompts: Iterable[str] = (),
        is_counted_as_retry: bool = False,
    ) -> LoggedRequest:
        """Keep a request; `is_counted_as_retry` is what the client itself says."""
        self.count += 1
        digest = "" if body is None else hashlib.sha256(body).hexdigest()
        is_retry = is_counted_as_retry or self.lacks_answer(path, digest)
        request = LoggedRequest(
            self.count, method, path, started_at, digest, is_retry, tuple(prompts)
        )
        self._kept.append(request)
        self._bytes += request.weight
        while len(self._kept) > self._most_requests or self._bytes > self._most_bytes:
            self._bytes -= self._kept.popleft().weight
        return request

    def lacks_answer(self, path: str, body_hash: str) -> bool:
        """Whether a further request with this body would be a retry."""
        return (path, body_hash) in self._unanswered

    def held(self, request: LoggedRequest) -> None:
        """Its answer is late: an equal one is a retry from now on, whatever becomes of this."""
        self._remember(request, for_ever=True)

    def ended(self, request: LoggedRequest, status: int | None) -> None:
        """It was answered with this status, or its client left (None)."""
        request.status = status
        key = (request.path, request.body_hash)
        if status is None or status >= 400:
            self._remember(request, for_ever=self._unanswered.get(key, False))
        elif not self._unanswered.get(key, False):
            self._unanswered.pop(key, None)

    def _remember(self, request: LoggedRequest, *, for_ever: bool) -> None:
        if request.body_hash and request.method == "POST":
            self._unanswered[request.path, request.body_hash] = for_ever
            while len(self._unanswered) > _MOST_HASHES:
                self._unanswered.popitem(last=False)
