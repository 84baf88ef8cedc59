"""One request on its way: how far it came, as far as its transport can tell."""

from contextvars import ContextVar
from dataclasses import dataclass, replace

from anyio import CancelScope
from pydantic import JsonValue

from memtru_ci.services.http import Delivery


@dataclass(frozen=True)
class RpcError:
    """An error in the protocol's own form."""

    code: int
    message: str


@dataclass(frozen=True)
class Reply:
    """What came back: a result, an error, or neither, and then `trouble` says why."""

    delivery: Delivery
    result: JsonValue = None
    error: RpcError | None = None
    trouble: str = ""


class Attempt:
    """A request in flight; its transport says what goes wrong with it."""

    def __init__(self) -> None:
        self.scope = CancelScope()
        self.ended: Reply | None = None
        """Set where the transport knows the end of it."""
        self.status: int | None = None
        """The status of an answer over HTTP that is an error."""
        self.doubt = ""
        """What came meanwhile that no JSON-RPC message is; empty where nothing did."""

    def end(self, delivery: Delivery, trouble: str) -> None:
        """There will be no answer; whoever waits for it goes on."""
        if self.ended is None:
            self.ended = Reply(delivery, trouble=trouble)
        self.scope.cancel()

    def answered(self, reply: Reply) -> Reply:
        """The SDK's answer; the transport knows better where it has made that one up."""
        if self.ended is not None:
            return self.ended
        if reply.error is not None and self.status is not None:
            told = f"HTTP status {self.status}: {reply.error.message}"
            return replace(reply, error=replace(reply.error, message=told))
        return reply

    def timed_out(self, deadline_s: float) -> Reply:
        """What to make of it when the deadline has passed."""
        if self.ended is not None:
            return self.ended
        late = f"no answer within {deadline_s:g} s"
        if self.doubt:
            return Reply(Delivery.MALFORMED, trouble=f"{late}, but {self.doubt}")
        return Reply(Delivery.NO_ANSWER, trouble=late)


CURRENT: ContextVar[Attempt | None] = ContextVar("mcp_attempt", default=None)
"""The attempt that the running task, or the one that has begun it, is about."""
