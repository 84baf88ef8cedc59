"""Follows the cursors of a list to its end, within bounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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


class Fetch(Protocol):
    """Asks for the page of a cursor, the first one without; within the seconds that are left."""

    async def __call__(self, cursor: str | None, deadline_s: float) -> Answer["Page"]: ...


@dataclass(frozen=True)
class Page:
    """One page of a list, and the cursor of the next one."""

    results: Sequence[Memory]
    next_cursor: str | None


async def list_all(calls: Calls, namespace: str) -> Answer[tuple[Memory, ...]]:
    """All memories of the namespace, as the contract lists them; see `followed`."""

    async def fetch(cursor: str | None, deadline_s: float) -> Answer[Page]:
        query = {"namespace": namespace, "limit": str(PAGE_LIMIT)}
        if cursor is not None:
            query["cursor"] = cursor
        call = Call(_LIST, namespace, query=query, surface="list")
        answer = await calls.make(call, reading(ListAnswer), deadline_s=deadline_s)
        said = answer.value
        found = [Memory(one.content, one.id) for one in said.results]
        return Answer(Page(found, said.next_cursor), answer.steps)

    return await followed(fetch, _LIST.endpoint, calls.deadline_s)


async def followed(
    fetch: Fetch, endpoint: str, deadline_s: float, field: str = "next_cursor"
) -> Answer[tuple[Memory, ...]]:
    """The memories of all pages, and the steps of every page.

    All pages have the deadline of one call, and the last one at least a second. Raises
    `ServiceError`: `ContractViolation` also for a cursor that comes again and for a list that
    does not end.
    """
    walk = _Walk(fetch, endpoint, deadline_s, field)
    try:
        await walk.go()
    except ServiceError as error:
        error.steps = tuple(dict.fromkeys((*walk.steps, *error.steps)))
        raise
    return Answer(tuple(walk.found), tuple(walk.steps))


class _Walk:
    """A list as far as it was read."""

    def __init__(self, fetch: Fetch, endpoint: str, deadline_s: float, field: str) -> None:
        self.found: list[Memory] = []
        self.steps: list[int] = []
        self._fetch = fetch
        self._endpoint = endpoint
        self._deadline_s = deadline_s
        self._field = field
        self._characters = 0
        self._seen: set[str] = set()
        self._ends_at = anyio.current_time() + deadline_s

    async def go(self) -> None:
        cursor = await self._page(None)
        while cursor is not None:
            self._check(cursor)
            self._seen.add(cursor)
            cursor = await self._page(cursor)

    async def _page(self, cursor: str | None) -> str | None:
        left = self._ends_at - anyio.current_time()
        least = min(_LEAST_PAGE_S, self._deadline_s)
        page = await self._fetch(cursor, max(left, least))
        self.steps += page.steps
        self.found += page.value.results
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
            waited = f"{self._deadline_s:g} s"
            raise NoAnswer(self._endpoint, f"{len(self.steps)} pages within {waited}, and no end")

    def _break(self, why: str) -> None:
        raise ContractViolation(self._endpoint, f"{self._field}: {why}", field=self._field)
