"""What the service does with memos; the two variants differ in one line of `apply`."""

from __future__ import annotations

from uuid import uuid4

from memo.parts import Parts
from memo.ranking import closeness, words_in_common
from memo.store import Memo


class Memos:
    """The memos of all users, over the parts of the service."""

    def __init__(self, parts: Parts) -> None:
        self._store = parts.store
        self._model = parts.model
        self._fixed = parts.settings.fixed

    def add(self, user: str, text: str) -> Memo:
        """Keep a new memo."""
        memo = self._made(uuid4().hex, text)
        self._store.put(user, memo)
        return memo

    def has(self, user: str, memo_id: str) -> bool:
        """Whether there is such a memo now."""
        return self._store.has(user, memo_id)

    def apply(self, user: str, memo_id: str, text: str) -> bool:
        """Give a memo that was seen to exist another text; whether that was done.

        Between that look and this write a model may be asked, a queue may be long, or the store
        may be slow. The memo may be deleted meanwhile: only `replace` notices.
        """
        memo = self._made(memo_id, text)
        if self._fixed:
            return self._store.replace(user, memo)
        self._store.put(user, memo)
        return True

    def remove(self, user: str, memo_id: str) -> bool:
        """Delete a memo; whether there was one."""
        return self._store.remove(user, memo_id)

    def all_of(self, user: str) -> list[Memo]:
        """All memos of a user."""
        return self._store.all_of(user)

    def about(self, user: str, question: str, most: int) -> list[tuple[float, Memo]]:
        """The memos that are closest to a question, best first, with their scores."""
        memos = self._store.all_of(user)
        if self._model is None:
            scored = [(words_in_common(question, one.text), one) for one in memos]
        else:
            wanted = self._model.embedding_of(question)
            scored = [(closeness(wanted, one.vector), one) for one in memos]
        found = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])
        return found[:most]

    def _made(self, memo_id: str, text: str) -> Memo:
        return Memo(memo_id, text, self._model.embedding_of(text) if self._model else ())
