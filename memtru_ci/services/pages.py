"""Follows the cursors of a list to its end, within bounds."""

import anyio

from memtru_ci.contract.messages import ListAnswer
from memtru_ci.contract.operations import BY_NAME
from memtru_ci.errors import ContractViolation, NoAnswer, ServiceError
from memtru_ci.ports import Answer, Memory
from memtru_ci.services.answers import reading
from memtru_ci.services.calls import Call, Calls

PAGE_LIMIT = 100
"""Results asked for on a page."""

MAX_PAGES = 200
MAX_MEMORIES = 100_000
MAX_CHARACTERS = 32 * 1024 * 1024
MAX_CURSOR_LENGTH = 4096
"""What a list may not exceed; the characters are those of all contents."""

_LEAST_PAGE_S = 1.0
_LIST = BY_NAME["list"]


async def list_all(calls: Calls, namespace: str) -> Answer[tuple[Memory, ...]]:
    """All memories of the namespace, and the steps of every page.

    All pages have the deadline of one call, and the last one at least a second. Raises
    `ServiceError`: `ContractViolation` also for a cursor that comes again and for a list that
    does not end.
    """
    walk = _Walk(calls, namespace)
    try:
        await walk.go()
    except ServiceError as error:
        error.steps = tuple(dict.fromkeys((*walk.steps, *error.steps)))
        raise
    return Answer(tuple(walk.found), tuple(walk.steps))


class _Walk:
    """A list as far as it was read."""

    def __init__(self, calls: Calls, namespace: str) -> None:
        self.found: list[Memory] = []
        self.steps: list[int] = []
        self._calls = calls
        self._namespace = namespace
        self._characters = 0
        self._seen: set[str] = set()
        self._ends_at = anyio.current_time() + calls.deadline_s

    async def go(self) -> None:
        cursor = await self._page(None)
        while cursor is not None:
            self._check(cursor)
            self._seen.add(cursor)
            cursor = await self._page(cursor)

    async def _page(self, cursor: str | None) -> str | None:
        query = {"namespace": self._namespace, "limit": str(PAGE_LIMIT)}
        if cursor is not None:
            query["cursor"] = cursor
        call = Call(_LIST, self._namespace, query=query, surface="list")
        left = self._ends_at - anyio.current_time()
        least = min(_LEAST_PAGE_S, self._calls.deadline_s)
        page = await self._calls.make(call, reading(ListAnswer), deadline_s=max(left, least))
        self.steps += page.steps
        self.found += (Memory(one.content, one.id) for one in page.value.results)
        self._characters += sum(len(one.content) for one in page.value.results)
        return page.value.next_cursor

    def _check(self, cursor: str) -> None:
        if cursor in self._seen:
            self._break("the cursor came before: the list would never end")
        if len(cursor) > MAX_CURSOR_LENGTH:
            self._break(f"the cursor is longer than {MAX_CURSOR_LENGTH} characters")
        if len(self.steps) >= MAX_PAGES:
            self._break(f"the list goes on after {MAX_PAGES} pages")
        if len(self.found) > MAX_MEMORIES:
            self._break(f"the list goes on after {MAX_MEMORIES} memories")
        if self._characters > MAX_CHARACTERS:
            self._break(f"the list goes on after {MAX_CHARACTERS} characters")
        if anyio.current_time() >= self._ends_at:
            waited = f"{self._calls.deadline_s:g} s"
            raise NoAnswer(_LIST.endpoint, f"{len(self.steps)} pages within {waited}, and no end")

    def _break(self, why: str) -> None:
        raise ContractViolation(_LIST.endpoint, f"next_cursor: {why}", field="next_cursor")
