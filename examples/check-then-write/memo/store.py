"""What a store of memos can do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Memo:
    """A text of a user's, with its embedding where there is a model."""

    id: str
    text: str
    vector: Sequence[float] = field(default=(), repr=False)

    @property
    def packed_vector(self) -> str:
        """The vector as the stores keep it."""
        return json.dumps(list(self.vector))


class Store(Protocol):
    """The memos of all users."""

    def has(self, user: str, memo_id: str) -> bool:
        """Whether the memo is there at this moment."""
        ...

    def put(self, user: str, memo: Memo) -> None:
        """Write it, whether it is there or not."""
        ...

    def replace(self, user: str, memo: Memo) -> bool:
        """Write it only if it is there, in one step; whether it was."""
        ...

    def remove(self, user: str, memo_id: str) -> bool:
        """Delete it; whether it was there."""
        ...

    def all_of(self, user: str) -> list[Memo]:
        """All memos of a user, in the order of their ids."""
        ...
