"""What a mechanism that holds a write has to be able to do."""

from collections.abc import Mapping
from typing import Protocol

from pydantic import JsonValue

from memtru_ci.sending import Sending

Facts = Mapping[str, JsonValue]
"""What is kept as evidence."""


class Grip(Protocol):
    """The hold of one write, from before it is sent until it is released."""

    @property
    def manner(self) -> Sending:
        """How the write has to be sent."""
        ...

    async def arrived(self) -> Facts:
        """Wait until the write is at the hold; what was seen of it there."""
        ...

    async def release(self) -> Facts:
        """Let it go on; `released` counts what was let go, and is 0 the second time."""
        ...


class Mechanism(Protocol):
    """A way of holding a write."""

    @property
    def name(self) -> str:
        """One of `domain.holding.LEVELS`."""
        ...

    @property
    def hint(self) -> str:
        """What to try where the write never arrives."""
        ...

    async def grip(self, secret: str) -> Grip:
        """Be ready to hold the write that carries the secret."""
        ...
